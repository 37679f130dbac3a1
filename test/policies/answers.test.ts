import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { answerCanned, type FakeProvider, type FakeReply, startFakeProvider } from '@agp/testing/providers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { errorClasses, openStream, streamKinds } from '../control/support/running-streams.ts';
import { readMetric } from '../system/read-metric.ts';
import { type System, startSystem, waitFor } from '../system/start-system.ts';

/** What the provider answers next. */
let answer: Partial<Parameters<typeof answerCanned>[0]> & { encoding?: string; renamed?: string } = {};
let provider: FakeProvider;
let system: System;
const made: string[] = [];

const encoders = { br: brotliCompressSync, gzip: gzipSync, zstd: zstdCompressSync };

function encode({ body, headers, ...reply }: FakeReply, encoding: keyof typeof encoders): FakeReply {
  const steps = (body as { steps?: Iterable<unknown> }).steps;
  const text =
    steps === undefined ? JSON.stringify(body) : [...steps].filter((step) => typeof step === 'string').join('');
  const type = { 'content-type': 'application/json', ...headers, 'content-encoding': encoding };
  return { ...reply, headers: type, body: encoders[encoding](text) };
}

beforeAll(async () => {
  provider = await startFakeProvider((request, index) => {
    const { encoding, renamed, ...canned } = answer;
    const body = renamed ? Buffer.from(request.body.toString().replace('gpt-5-mini', renamed)) : request.body;
    const reply = answerCanned(canned)({ ...request, body }, index) as FakeReply;
    return encoding === undefined ? reply : encode(reply, encoding as keyof typeof encoders);
  });
  const urls = ['OPENAI', 'ANTHROPIC', 'GEMINI'].map((id) => [`PROVIDER_${id}_URL`, provider.url]);
  system = await startSystem({ environment: Object.fromEntries(urls) });
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await provider?.stop();
});
afterEach(async () => {
  const headers = { authorization: `Bearer ${system.apiKey}` };
  for (const id of made.splice(0))
    await fetch(`${system.management.url}/api/v1/policies/${id}`, { method: 'DELETE', headers });
});

async function apply(policy: object): Promise<void> {
  const body = JSON.stringify({ name: 'answers', mode: 'enforce', ...policy });
  made.push((await system.api<{ id: string }>('/api/v1/policies', { method: 'POST', body })).id);
}

const noShell = { tools: { client: { deny: ['shell', 'mcp__*__delete_*'] } } };
const shell = { id: 'call_1', name: 'shell', arguments: '{"cmd":"rm -rf /"}' };
const weather = { id: 'call_2', name: 'weather', arguments: '{"city":"Oslo"}' };

const chat = { model: 'gpt-5-mini', messages: [{ role: 'user', content: 'hello' }] };
const whole = {
  chat: ['/openai/v1/chat/completions', chat],
  responses: ['/openai/v1/responses', { model: 'gpt-5-mini', input: 'hello' }],
  messages: ['/anthropic/v1/messages', { ...chat, model: 'claude-sonnet-5', max_tokens: 99 }],
  gemini: ['/gemini/v1beta/models/gemini-2.5-flash:generateContent', { contents: [{ parts: [{ text: 'hello' }] }] }],
  'gemini as an array': [
    '/gemini/v1beta/models/gemini-2.5-flash:streamGenerateContent',
    { contents: [{ parts: [{ text: 'hello' }] }] },
  ],
} as const;

async function send(agent: string, [path, body]: readonly [string, object], headers: Record<string, string> = {}) {
  const response = await fetch(`${system.proxies[0]?.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-agent-name': agent, 'x-api-key': 'sk', ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

interface Recorded {
  outcome: string;
  http_status: number;
  completion_tokens: number;
  decision: object[] | null;
  tools: { called: { names: string[] }[] } | null;
  policy_version: number;
  v: number;
}

const readEvent = (agent: string): Promise<Recorded> =>
  waitFor(`the event of ${agent}`, async () => {
    const { rows } = await system.database.pool.query<{ payload: string }>(
      'SELECT payload FROM events JOIN agents ON agents.id = events.agent_id WHERE agents.name = $1',
      [agent],
    );
    return rows[0] && (JSON.parse(rows[0].payload) as Recorded);
  });

const reason = 'denied by policy answers (rule tools.client): the tool shell, which was called, is not allowed';
const cut = [{ action: 'cut', policy: 'answers', rule: 'tools.client', version: 1 }];

describe.each(Object.entries(whole))('a whole answer: %s', (kind, call) => {
  test('that calls a denied tool is refused in its place, and recorded with its cost', async () => {
    answer = { toolCalls: [shell], output: 50 };
    await apply(noShell);
    const agent = `whole ${kind}`;
    const { status, text } = await send(agent, call);
    expect([status, text]).toEqual([403, expect.stringContaining(reason)]);
    expect(text).not.toContain('rm -rf');
    expect(await readEvent(agent)).toMatchObject({
      ...{ v: 2, outcome: 'killed', http_status: 403, completion_tokens: 50, decision: cut },
      tools: { called: [{ kind: 'client', names: ['shell'] }] },
    });
  });

  test('that calls another tool passes as it is', async () => {
    answer = { toolCalls: [weather] };
    const agent = `other ${kind}`;
    const before = await send(agent, call);
    await apply(noShell);
    const { status, text } = await send(agent, call);
    expect([status, text]).toEqual([200, before.text]);
    expect(text).toContain('Oslo');
  });

  test('in an encoding that was not asked for is read all the same, unless no decoder is sure of it', async () => {
    await apply(noShell);
    const sendEncoded = async (encoding: string, call_: typeof shell) => {
      answer = { toolCalls: [call_], encoding };
      const { status, text } = await send(`${encoding} ${kind}`, call);
      return [status, text];
    };
    expect(await sendEncoded('br', shell)).toEqual([403, expect.stringContaining(reason)]);
    expect(await sendEncoded('gzip', shell)).toEqual([403, expect.stringContaining(reason)]);
    expect(await sendEncoded('gzip', weather)).toEqual([200, expect.stringContaining('Oslo')]);
    expect(await sendEncoded('zstd', weather)).toEqual([403, expect.stringContaining('its answer cannot be read')]);
  });
});

describe.each(streamKinds)('a stream: %s', (kind) => {
  test('ends with an error of the SDK before the call is out, and other words pass', async () => {
    answer = { words: ['Let', ' me', ' see.'], toolCalls: [shell] };
    await apply(noShell);
    const agent = `stream ${kind}`;
    const killed = await readMetric(system.proxies[0], 'agp_proxy_killed_requests_total{reason="policy_denied"}');
    const { ended } = openStream(kind, system.proxies[0]?.url ?? '', { 'x-agent-name': agent });
    const { error, pieces } = await ended;
    expect(error).toBeInstanceOf(errorClasses[kind]);
    expect(String((error as Error).message)).toContain(reason);
    expect(pieces).toBeGreaterThan(1);
    expect(await readEvent(agent)).toMatchObject({ outcome: 'killed', http_status: 200, decision: cut });
    expect(await readMetric(system.proxies[0], 'agp_proxy_killed_requests_total{reason="policy_denied"}')).toBe(
      killed + 1,
    );
  });

  test('on_call: record lets the call pass, and the event has it', async () => {
    answer = { toolCalls: [shell] };
    await apply({ tools: { client: { deny: ['shell'] }, on_call: 'record' } });
    const agent = `recorded ${kind}`;
    expect(
      (await openStream(kind, system.proxies[0]?.url ?? '', { 'x-agent-name': agent }).ended).error,
    ).toBeUndefined();
    expect(await readEvent(agent)).toMatchObject({
      outcome: 'completed',
      decision: [{ ...cut[0], action: 'observe' }],
      tools: { called: [{ names: ['shell'] }] },
    });
  });
});

test('an answer by a model that is denied is refused, by a dated version of the one that was asked for it passes', async () => {
  await apply({ models: { allow: ['gpt-5-mini', 'claude-*'] } });
  const providerModel = async (model: string, agent: string) => {
    // The simulated provider answers with the model that it is asked for.
    answer = { renamed: model };
    return (await send(agent, whole.chat)).status;
  };
  expect(await providerModel('gpt-5-mini-2025-08-07', 'dated')).toBe(200);
  expect(await providerModel('claude-sonnet-5', 'another that is allowed')).toBe(200);
  expect(await providerModel('gpt-5', 'routed elsewhere')).toBe(403);
  expect(await readEvent('routed elsewhere')).toMatchObject({
    ...{ model: 'gpt-5', outcome: 'killed' },
    decision: [{ action: 'cut', rule: 'models' }],
  });
});

test('warn tells the agent in a header and the event, and nothing else changes; without a policy tools are named too', async () => {
  answer = { toolCalls: [weather] };
  const tools = [{ type: 'function', function: { name: 'weather' } }];
  const call = [whole.chat[0], { ...chat, tools }] as const;
  const before = await send('unruled', call);
  expect(before.headers.get('x-agp-policy-warning')).toBeNull();
  expect(await readEvent('unruled')).toMatchObject({
    ...{ v: 2, policy_version: expect.toSatisfy((version) => version === null || version > 0), decision: null },
    tools: { declared: [{ kind: 'client', names: ['weather'] }], called: [{ names: ['weather'] }], more: 0 },
  });
  await apply({ mode: 'warn', tools: { client: { deny: ['weath*'] } } });
  const { status, text, headers } = await send('warned', call);
  expect([status, text]).toEqual([200, before.text]);
  expect(headers.get('x-agp-policy-warning')).toBe('answers (rule tools.client)');
  const decision = { action: 'warn', policy: 'answers', rule: 'tools.client' };
  expect(await readEvent('warned')).toMatchObject({ decision: [decision, decision] });
});

test('running: stop ends what a new policy forbids, and leaves what it allows or lets finish', async () => {
  answer = { words: Array(400).fill(' word'), pauseMs: 50 };
  const running = streamKinds.map((kind) =>
    openStream(kind, system.proxies[0]?.url ?? '', { 'x-agent-name': `running ${kind}` }),
  );
  await Promise.all(running.map(({ started }) => started));
  await apply({ name: 'finishing', models: { deny: ['gemini-*'] } });
  await apply({ name: 'stopping', models: { deny: ['gpt-*'] }, running: 'stop' });
  const ends = await Promise.all(
    running.filter(({ kind }) => kind === 'chat' || kind === 'responses').map(({ ended }) => ended),
  );
  for (const { error } of ends)
    expect(String((error as Error).message)).toContain('denied by policy stopping (rule models): the model gpt-4o');
  expect(await readEvent('running chat')).toMatchObject({
    outcome: 'killed',
    decision: [{ action: 'cut', policy: 'stopping', rule: 'models' }],
  });
  const others = running.filter(({ kind }) => kind === 'messages' || kind === 'gemini');
  const before = others.map(({ pieces }) => pieces());
  await waitFor('the others to go on', () => others.every(({ pieces }, index) => pieces() > (before[index] ?? 0) + 2));
});
