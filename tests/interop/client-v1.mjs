// Does a client on version 1 of the TypeScript SDK work through the proxy?
//
// usage: client-v1.mjs <url> <upstream>

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { credential, runSteps } from './steps.mjs';

const [url, upstream] = process.argv.slice(2);

await runSteps({ upstream, label: 'v1', version: '2025-11-25', open });

async function open() {
  const client = new Client({ name: 'interop-v1', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: credential() } });
  await client.connect(transport);
  return {
    version: transport.protocolVersion,
    instructions: client.getInstructions(),
    list: async () => (await client.listTools()).tools,
    call: (name, args, onprogress, signal) =>
      client.callTool({ name, arguments: args }, undefined, { onprogress, signal }),
    close: () => client.close(),
  };
}
