// A stateless upstream on the TypeScript SDK 2, whose tools can tell what became of a call: those of peer.py.
//
// usage: stateless.mjs <port>
//
// A server of its own for each request, as the SDK makes them: what is noted stands outside of them.
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { McpServer, createMcpHandler, fromJsonSchema } from '@modelcontextprotocol/server';

const noted = [];
const ends = new Map();

const text = (said) => ({ content: [{ type: 'text', text: said }] });
const takes = (properties) =>
  fromJsonSchema({ type: 'object', properties, required: Object.keys(properties) });
const [NUMBER, TEXT] = [{ type: 'number' }, { type: 'string' }];

const TOOLS = {
  add: {
    description: 'Adds two numbers and gives their sum.',
    inputSchema: takes({ a: NUMBER, b: NUMBER }),
    outputSchema: takes({ result: NUMBER }),
    call: ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { result: a + b } }),
  },
  note: {
    description: 'Writes a note down, to be kept.',
    inputSchema: takes({ text: TEXT }),
    writes: true,
    call: ({ text: note }) => {
      noted.push(note);
      return text(`noted ${note}`);
    },
  },
  notes: {
    description: 'Reads all notes that were written down.',
    inputSchema: takes({}),
    call: () => text(noted.join('\n')),
  },
  fail: {
    description: 'Fails for the reason given, always.',
    inputSchema: takes({ reason: TEXT }),
    call: ({ reason }) => {
      throw new Error(`failed: ${reason}`);
    },
  },
  count: {
    description: 'Counts slowly up to a number and reports progress.',
    inputSchema: takes({ to: { type: 'integer' } }),
    call: async ({ to }, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      for (let progress = 1; progress <= to; progress++) {
        await sleep(200);
        if (progressToken !== undefined) {
          await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: to } });
        }
      }
      return text(`counted to ${to}`);
    },
  },
  wait: {
    description: 'Waits for some seconds under a key, to be asked about later.',
    inputSchema: takes({ key: TEXT, seconds: NUMBER }),
    call: async ({ key, seconds }, { mcpReq }) => {
      ends.set(key, 'waiting');
      try {
        await sleep(seconds * 1000, undefined, { signal: mcpReq.signal });
        ends.set(key, 'done');
      } catch (error) {
        ends.set(key, 'cancelled');
        throw error;
      }
      return text(`waited ${seconds} s`);
    },
  },
  ended: {
    description: 'Tells what became of a wait: waiting, done or cancelled.',
    inputSchema: takes({ key: TEXT }),
    call: ({ key }) => text(ends.get(key) ?? 'unknown'),
  },
};

function server() {
  const instructions = 'Adds, notes, counts and waits.';
  const made = new McpServer({ name: 'stateless', version: '1' }, { instructions });
  for (const [name, { call, writes, ...described }] of Object.entries(TOOLS)) {
    made.registerTool(name, { ...described, annotations: { readOnlyHint: !writes } }, call);
  }
  return made;
}

const handler = toNodeHandler(createMcpHandler(server));
createServer((request, response) => void handler(request, response)).listen(Number(process.argv[2]), '127.0.0.1');
