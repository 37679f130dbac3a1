import { once } from 'node:events';
import { Agent, type OutgoingHttpHeaders, request } from 'node:http';
import type { DurableServers } from '@agp/testing/servers';
import { makeKey, nowSeconds, sign } from '../../identities/support/test-issuer.ts';
import { benchKey, startPinned, startProxy, startService, stopAll } from '../processes.ts';
import { chooseInspector, countCalls, type Rooms } from './inspect-counts.ts';
import type { CountedCall } from './limits.ts';

const chat = {
  model: 'gpt-4.1',
  messages: [
    { role: 'system', content: 'You are a helpful assistant that answers briefly.' },
    {
      role: 'user',
      content:
        'Hello! Please summarise the following paragraph in one line: the quick brown fox jumps over the lazy dog and then it goes on to describe its journey through the forest.',
    },
  ],
};

interface Call {
  url: string;
  body: object;
  headers?: OutgoingHttpHeaders;
}

/** Code that is not yet compiled allocates more. */
const warmUpCalls = 1_000;

/** Its connections stay open: a call that is counted opens none. */
const agent = new Agent({ keepAlive: true, maxSockets: 16 });

/** Makes calls, 16 at once. Rejects if one is refused. */
async function load({ url, body, headers }: Call, calls: number): Promise<void> {
  const text = JSON.stringify(body);
  const options = {
    agent,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      authorization: 'Bearer sk-test',
      'x-agent-name': 'bench',
      ...headers,
    },
  };
  let left = calls;
  const one = async () => {
    while (left-- > 0) {
      const sent = request(url, options).end(text);
      const [response] = await once(sent, 'response');
      response.resume();
      await once(response, 'end');
      if (response.statusCode !== 200) throw new Error(`${url} answered with ${response.statusCode}`);
    }
  };
  await Promise.all(Array.from({ length: 16 }, one));
}

/**
 * Counts what calls take in a bare Node proxy and in ours, each a process of its own.
 *
 * @param names what is counted
 * @param calls how many of each are counted, once it is compiled
 */
export async function countProxy(
  servers: Pick<DurableServers, 'databaseUrl' | 'natsUrl' | 'redisUrl'>,
  names: readonly CountedCall[],
  calls: number,
): Promise<{ bare: Rooms; ours: Map<CountedCall, Rooms> }> {
  const [bareInspector, inspector] = [await chooseInspector(), await chooseInspector()];
  const provider = await startPinned(`${import.meta.dirname}/../stream-provider.ts`, { BENCH_PAUSE_MS: '0' }, null);
  const bareFile = `${import.meta.dirname}/../bare-proxy.ts`;
  const bare = await startPinned(bareFile, { UPSTREAM_URL: provider.url }, null, bareInspector.flags);
  const proxy = await startProxy(servers, provider.url, { core: null, flags: inspector.flags });
  const management = await startService('management', servers, null);
  const path = '/v1/chat/completions';
  const url = `${proxy.url}/openai${path}`;
  const headers = { 'x-bench-chunks': '50', 'x-bench-pause-ms': '0' };
  const makeCall: Record<CountedCall, () => Call | Promise<Call>> = {
    small: () => ({ url, body: chat }),
    'stream of 50 chunks': () => ({ url, headers, body: { ...chat, stream: true } }),
    'rule of data': async () => ({ url, body: chat, headers: await ruleAgent(management.url) }),
    'stream of 50 chunks, rule of data': async () => ({
      ...{ url, body: { ...chat, stream: true } },
      headers: { ...headers, ...(await ruleAgent(management.url)) },
    }),
    'cap and token': async () => ({ url, body: chat, headers: await capAgent(management.url, url) }),
    'cap and JWT': async () => ({ url, body: chat, headers: await capWorkload(management.url, url) }),
    'cap, token and 50 budgets': async () => {
      const headers = await capAgent(management.url, url);
      for (let at = 0; at < 50; at += 1) await ask(management.url, 'POST', 'budgets', makeBudget(at));
      return { url, body: chat, headers };
    },
  };
  const count = async (call: Call, at: string) => {
    await load(call, warmUpCalls);
    return countCalls(at, calls, (number) => load(call, number));
  };
  try {
    const ours = new Map<CountedCall, Rooms>();
    for (const name of names) ours.set(name, await count(await makeCall[name](), inspector.inspector));
    return { bare: await count({ url: `${bare.url}${path}`, body: chat }, bareInspector.inspector), ours };
  } finally {
    agent.destroy();
    await stopAll([proxy, bare, management, provider]);
  }
}

async function ask(managementUrl: string, method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${managementUrl}/api/v1/${path}`, {
    method,
    headers: { authorization: `Bearer ${benchKey}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status}, ${await response.text()}`);
  return response.json();
}

let ruled = 0;

/** Has the texts of an agent's requests and answers searched. @returns the headers of its calls */
async function ruleAgent(managementUrl: string): Promise<OutgoingHttpHeaders> {
  ruled += 1;
  const name = `bench-ruled-${ruled}`;
  const pii = { request: { all: 'redact' }, response: { email: 'redact' } };
  await ask(managementUrl, 'POST', 'policies', { name, mode: 'enforce', match: { agents: [name] }, pii });
  return { 'x-agent-name': name };
}

let capped = 0;

/** Gives an agent a cap and a token. @returns the headers of its calls */
async function capAgent(managementUrl: string, proxyUrl: string): Promise<OutgoingHttpHeaders> {
  capped += 1;
  const name = `bench-capped-${capped}`;
  const made = await ask(managementUrl, 'POST', 'agent-tokens', { agent_name: name });
  return cap(managementUrl, proxyUrl, name, (made as { secret: string }).secret);
}

/** The same of a workload, whose JWT the proxy has verified. */
async function capWorkload(managementUrl: string, proxyUrl: string): Promise<OutgoingHttpHeaders> {
  const key = await makeKey('bench');
  const claims = { iss: 'https://issuer.bench', aud: 'agp', sub: 'bench-workload', exp: nowSeconds() + 3_600 };
  await ask(managementUrl, 'POST', 'identities', {
    ...{ name: 'bench', issuer: claims.iss, audiences: ['agp'], keys: { jwks: { keys: [key.jwk] } } },
    rules: [{ name: 'all', agent: '{sub}' }],
  });
  return cap(managementUrl, proxyUrl, claims.sub, await sign(key, claims));
}

async function cap(managementUrl: string, proxyUrl: string, name: string, token: string): Promise<OutgoingHttpHeaders> {
  const headers = { 'x-agent-name': name, 'x-agent-token': token };
  await load({ url: proxyUrl, body: chat, headers }, 1);
  const [agent] = (await ask(managementUrl, 'GET', `agents?search=${name}`)) as { id: string }[];
  await ask(managementUrl, 'PUT', `budgets/agents/${agent?.id}`, { daily_cap_usd: 1_000_000 });
  return headers;
}

const windows = ['day', 'week', 'month', 'total', 'rolling:24'];

/** All of them count each call of an agent with a cap, and none of another. */
const makeBudget = (at: number) => ({
  name: `bench-${at}`,
  match: { agents: ['bench-capped-*'], ...(at % 2 === 0 && { models: ['gpt-*'] }) },
  unit: ['usd', 'tokens', 'requests'][at % 3],
  split_by: at % 4 === 0 ? 'agent' : 'none',
  amount: at % 3 === 0 ? 1_000_000 : 1e11,
  window: windows[at % windows.length],
});
