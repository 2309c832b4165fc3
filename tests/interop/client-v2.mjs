// Does the TypeScript client of version 2 work through the proxy, with the handshake and without?
//
// usage: client-v2.mjs <url> <upstream> legacy|auto|modern
// legacy is the client's default; auto must settle on the revision without a handshake, which modern
// asks for and takes no other.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { credential, runSteps } from './steps.mjs';

const [url, upstream, mode] = process.argv.slice(2);
const VERSIONS = { legacy: '2025-11-25', auto: '2026-07-28', modern: '2026-07-28' };

await runSteps({ upstream, label: `v2-${mode}`, version: VERSIONS[mode], open });

async function open() {
  const asked = mode === 'modern' ? { pin: VERSIONS.modern } : mode;
  const options = mode === 'legacy' ? {} : { versionNegotiation: { mode: asked } };
  const client = new Client({ name: 'interop-v2', version: '1.0.0' }, options);
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: credential() } }));
  return {
    version: client.getNegotiatedProtocolVersion(),
    instructions: client.getInstructions(),
    list: async () => (await client.listTools()).tools,
    call: (name, args, onprogress, signal) => client.callTool({ name, arguments: args }, { onprogress, signal }),
    close: () => client.close(),
  };
}
