// Whole conversations of the TypeScript client of version 2, one after the other, until a file
// exists.
//
// usage: until.mjs <url> <file> legacy|auto
// Each says hello, lists the tools, reads and writes. Prints a JSON summary.

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const [url, file, mode] = process.argv.slice(2);
let calls = 0;
const failures = [];
while (!existsSync(file)) {
  try {
    calls += await conversation();
  } catch (error) {
    calls += 1;
    failures.push(String(error).slice(0, 300));
  }
  await sleep(300);
}
console.log(JSON.stringify({ calls, failed: failures.length, failures: failures.slice(0, 3) }));

async function conversation() {
  const options = mode === 'legacy' ? {} : { versionNegotiation: { mode } };
  const client = new Client({ name: 'until', version: '1.0.0' }, options);
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  try {
    const { tools } = await client.listTools();
    if (!tools.some((tool) => tool.name === 'call_read_tools')) throw new Error('a tool is missing');
    for (const [tool, name] of [['call_read_tool', 'echo'], ['call_read_tool', 'slow'], ['call_write_tool', 'note']]) {
      const nonce = randomBytes(8).toString('hex');
      const result = await client.callTool({ name: tool, arguments: { name, arguments: { nonce } } });
      if (!JSON.stringify(result).includes(`nonce=${nonce}`)) throw new Error(JSON.stringify(result));
    }
  } finally {
    await client.close();
  }
  return 4;
}
