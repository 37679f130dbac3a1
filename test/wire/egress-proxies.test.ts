import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ListedEvent } from '@agp/core/contracts';
import { explainSkip, makeTestAuthority, refusalText, startSquid, type TestAuthority } from '@agp/testing';
import { answerCanned, type FakeProvider, startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ProcessSystem, startProcesses } from '../system/start-processes.ts';
import { waitFor } from '../system/start-system.ts';
import { openExchange, readAnswer } from './transparency/exchange-bytes.ts';

/** A name that the egress proxy alone knows. */
const name = 'llm.only-proxy.invalid';
const user = 'agp';
const password = 'quite s cret';
const escaped = encodeURIComponent(password);

const folder = mkdtempSync(join(tmpdir(), 'agp-egress-'));
let authority: TestAuthority;
let fake: FakeProvider;
let silent: Server;
let secure: Server;
let squid: Awaited<ReturnType<typeof startSquid>> | null = null;
let whyNot = '';
let system: ProcessSystem;
let log = '';

const portOf = (server: Server) => (server.address() as AddressInfo).port;

beforeAll(async () => {
  authority = makeTestAuthority();
  fake = await startFakeProvider(answerCanned());
  silent = createTcpServer(() => {}).listen(0, '127.0.0.1');
  const { certFile, keyFile } = authority.issue(name);
  secure = createServer({ cert: readFileSync(certFile), key: readFileSync(keyFile) }, (_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end('{"model":"gpt-5","choices":[]}');
  }).listen(0, '127.0.0.1');
  for (const server of [silent, secure]) if (!server.listening) await once(server, 'listening');
  try {
    squid = await startSquid({
      names: [name],
      refused: ['.refused.invalid', '.openai.azure.com'],
      login: `${user} ${password}`,
    });
  } catch (error) {
    whyNot = explainSkip(error);
    return;
  }
  const { port } = new URL(fake.url);
  const { host } = new URL(squid.url);
  const entry = (id: string, more: object) => ({ id, api: 'openai', base_url: `http://${name}:${port}`, ...more });
  const providers = [
    entry('named', {}),
    entry('secure', { base_url: `https://${name}:${portOf(secure)}` }),
    entry('near', { base_url: fake.url }),
    entry('exempt', { base_url: `http://exempt.invalid:${port}` }),
    entry('direct', { proxy: 'none' }),
    entry('refused', { base_url: 'http://a.refused.invalid' }),
    entry('closed', { base_url: `http://${name}:1` }),
    entry('nameless', { proxy: squid.url }),
    entry('mistaken', { proxy: `http://${user}:wrong-${escaped}@${host}` }),
    entry('gone', { proxy: 'http://127.0.0.1:1' }),
    entry('silent', { proxy: `http://127.0.0.1:${portOf(silent)}` }),
    {
      id: 'twice',
      api: 'openai',
      endpoints: [
        { base_url: 'http://a.refused.invalid', name: 'behind' },
        { base_url: fake.url, name: 'beside', weight: 0 },
      ],
    },
    {
      id: 'elsewhere',
      api: 'openai',
      endpoints: [
        { base_url: 'http://mine.openai.azure.com', name: 'azure' },
        { base_url: fake.url, name: 'beside', weight: 0 },
      ],
    },
  ];
  const file = join(folder, 'providers.json');
  writeFileSync(file, JSON.stringify(providers));
  const secret = join(folder, 'proxy');
  writeFileSync(secret, `http://${user}:${escaped}@${host}\n`);
  system = await startProcesses({
    within: ['writer', 'management'],
    environment: {
      ...{ PROVIDERS_FILE: file, LOG_LEVEL: 'info', NODE_EXTRA_CA_CERTS: authority.caFile },
      ...{ HTTP_PROXY_FILE: secret, HTTPS_PROXY_FILE: secret, no_proxy: '.exempt.invalid' },
    },
    onOutput: (text) => {
      log += text;
    },
  });
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await squid?.[Symbol.asyncDispose]();
  await fake?.stop();
  silent?.close();
  secure?.close();
  authority?.[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});
beforeEach(({ skip }) => {
  if (squid === null) skip(whyNot);
});

async function send(provider: string, agent = 'inside') {
  const sessionId = `ses_${randomUUID()}`;
  const headers = ['Content-Type', 'application/json', 'X-Agent-Name', agent, 'X-Session-Id', sessionId];
  const body = Buffer.from(JSON.stringify({ model: 'gpt-5', messages: [{ role: 'user', content: 'Hello' }] }));
  const call = { method: 'POST', target: '/v1/chat/completions', headers, body };
  const answer = await readAnswer(await openExchange(`${system.proxies[0]?.url}/${provider}`, call));
  const [event] = await waitFor('the event', async () => {
    const events = await system.api<ListedEvent[]>(`/api/v1/events?session_id=${sessionId}&expand=outcome`);
    return events.length > 0 && events;
  });
  return { ...answer, event };
}

test.each(['named', 'secure', 'near'])(
  '%s: a provider is reached as the proxy of the company allows',
  async (provider) => {
    const { status, event } = await send(provider);
    expect([status, event?.outcome, event?.failure]).toEqual([200, 'completed', null]);
  },
);

/** Where this machine looks names up, there is none of these. */
test.each([
  ['exempt', 'NO_PROXY'],
  ['direct', 'its proxy: none'],
])('%s goes directly by %s, where its name is not known', async (provider) => {
  const { status, event } = await send(provider);
  expect([status, event?.failure]).toEqual([502, 'name_not_found']);
});

const host = () => new URL(squid?.url ?? '').host;

const listLines = (): Record<string, unknown>[] =>
  log.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));

const ofFile = 'PROVIDERS_FILE: .*: proxy';

test.each<[string, told: string, proxy: () => string, setting: string]>([
  ['refused', 'the egress proxy refuses the provider (403)', host, 'HTTP_PROXY'],
  ['closed', 'the egress proxy cannot reach the provider (503)', host, 'HTTP_PROXY'],
  ['nameless', 'the egress proxy asks for another user or password (407)', host, ofFile],
  ['mistaken', 'the egress proxy asks for another user or password (407)', host, ofFile],
  ['gone', 'the egress proxy cannot be reached (ECONNREFUSED)', () => '127.0.0.1:1', ofFile],
  ['silent', 'the egress proxy gave no answer within 10 s', () => `127.0.0.1:${portOf(silent)}`, ofFile],
])('%s: agent, event and log are told that it is the egress proxy', async (provider, told, proxy, setting) => {
  const { status: got, body, event } = await send(provider);
  expect([got, refusalText(body)]).toEqual([502, `provider unreachable: ${told}`]);
  expect(event).toMatchObject({ outcome: 'failed', failure: 'proxy', http_status: null, cost_usd: 0 });
  const line = await waitFor('the line', () => listLines().find(({ event_id }) => event_id === event?.id));
  expect(line).toMatchObject({
    failure: 'proxy',
    error: expect.stringMatching(`^egress proxy ${proxy()} \\(${setting}\\): `),
  });
  // Once in a while it says what to look at.
  const [hint] = listLines().filter(({ msg }) => String(msg).startsWith('an egress proxy gives no connection'));
  expect(hint).toMatchObject({
    proxy: host(),
    status: 403,
    setting: 'HTTP_PROXY',
    msg: expect.stringContaining('NO_PROXY'),
  });
});

test('an endpoint that the egress proxy refuses is one that failed', async () => {
  const { status, event } = await send('twice');
  expect([status, event?.endpoint, event?.failure]).toEqual([200, 'beside', null]);
});

test('a call goes on to no endpoint that would store it, if a policy forbids that', async () => {
  await system.api('/api/v1/policies', {
    method: 'POST',
    body: JSON.stringify({ name: 'keep', mode: 'enforce', match: { agents: ['kept'] }, where: { store: false } }),
  });
  // Azure stores no chat unless it is told to; what another does is not known.
  const { status, event } = await send('elsewhere', 'kept');
  expect([status, event?.endpoint, event?.failure]).toEqual([502, 'azure', 'proxy']);
  expect((await send('elsewhere')).event?.endpoint).toBe('beside');
});

test('user and password of the proxy are in no line of a log, nor in an event', async () => {
  const { rows } = await system.database.pool.query<{ text: string }>('SELECT events::text AS text FROM events');
  const shown = [log, ...rows.map(({ text }) => text)].join('\n');
  for (const secret of [password, escaped, Buffer.from(`${user}:${password}`).toString('base64')])
    expect(shown).not.toContain(secret);
});
