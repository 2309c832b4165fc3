// Does the TypeScript client of version 2 log in through the proxy, and ask for more when it must?
//
// usage: login.mjs <url>

import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';

const url = new URL(process.argv[2]);
const codes = [];
const kept = {};
const BACK = 'http://127.0.0.1:1/back';

const authProvider = {
  redirectUrl: BACK,
  clientMetadata: {
    client_name: 'interop',
    redirect_uris: [BACK],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  },
  clientInformation: () => kept.client,
  saveClientInformation: (client) => { kept.client = client; },
  tokens: () => kept.tokens,
  saveTokens: (tokens) => { kept.tokens = tokens; },
  saveCodeVerifier: (verifier) => { kept.verifier = verifier; },
  codeVerifier: () => kept.verifier,
  async redirectToAuthorization(page) {
    const answer = await fetch(page, { redirect: 'manual' });
    codes.push(new URL(answer.headers.get('location')).searchParams.get('code'));
  },
};

let transport;
let client;

async function open() {
  transport = new StreamableHTTPClientTransport(url, { authProvider });
  client = new Client({ name: 'interop-login', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(transport);
}

// What a client does: when it is sent away to log in, it comes back with a code and goes on.
async function withLogin(act) {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof UnauthorizedError) && !codes.length) throw error;
    await transport.finishAuth(codes.at(-1));
    return act();
  }
}

function step(name, good, detail) {
  console.log(`STEP ${name} ${good ? 'ok' : 'failed'} ${detail}`.trimEnd());
}

const call = (tool, name) => () => client.callTool({ name: tool, arguments: { name, arguments: {} } });
await withLogin(open);
step('login', codes.length === 1, `${codes.length} logins`);
let text = JSON.stringify(await call('call_read_tool', 'look')());
step('read', text.includes('look done'), text.slice(0, 200));
text = JSON.stringify(await withLogin(call('call_write_tool', 'note')));
step('step-up', text.includes('note done') && codes.length === 2, `${codes.length} logins ${text.slice(0, 200)}`);
await client.close();
