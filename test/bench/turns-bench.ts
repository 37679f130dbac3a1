/**
 * The longest turn of the event loop, in which a service answers nobody, for the largest input of each endpoint of the management API that
 * takes a body, of previews and lists of policies, and of what policies do to a request and its answer. The product's rule is 50 ms on an ordinary machine.
 *
 * All services run within this process, and so does the caller: what it has to send is written beforehand.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestServers, useTestServers } from '@agp/testing';
import { startFakeProvider } from '@agp/testing/providers';
import { listRoutes } from '../../services/management/src/routes/index.ts';
import { startSystem } from '../system/start-system.ts';
import { readArguments } from './read-arguments.ts';

const { rounds, only } = readArguments('bench:turns', { rounds: 3, only: '' });

const many = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, at) => make(at));
const names = (count: number, own: number | string) => many(count, (at) => `n${own}-${at}`);
const starred = (count: number, own: number) =>
  many(count, (at) => (at < 20 ? `a*${own}*a${at}*a*` : `*a${own}-${at}`));

const calls = many(100, (at) => ({
  id: `call_${at}`,
  type: 'function',
  function: { name: `tool_${at}`, arguments: '{}' },
}));
const answer = JSON.stringify({
  ...{ id: 'chatcmpl-1', object: 'chat.completion', model: 'gpt-5-mini' },
  choices: [
    { index: 0, message: { role: 'assistant', content: null, tool_calls: calls }, finish_reason: 'tool_calls' },
  ],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});
const { servers: testServers, stop } = await startTestServers();
useTestServers(testServers);
await using after = new AsyncDisposableStack();
after.defer(stop);
await using provider = await startFakeProvider(() => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: answer,
}));
const environment = Object.fromEntries(
  ['OPENAI', 'ANTHROPIC', 'GEMINI'].map((id) => [`PROVIDER_${id}_URL`, provider.url]),
);
await using system = await startSystem({
  environment: { ...environment, LOG_LEVEL: 'fatal', STORAGE_TIMEOUT_MS: '60000' },
});
const [proxy] = system.proxies;
const authorization = `Bearer ${system.apiKey}`;
const json = { 'content-type': 'application/json' };

/** The longest turn of the rounds' median, in milliseconds. */
async function measure(name: string, url: string, init: RequestInit): Promise<void> {
  if (!name.includes(only)) return;
  const turns: number[] = [];
  let status = 0;
  let took = 0;
  for (let round = 0; round < rounds; round += 1) {
    await sleep(100);
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    await sleep(20);
    delay.reset();
    const start = performance.now();
    const answered = await fetch(url, init);
    status = answered.status;
    for await (const _ of answered.body ?? []);
    took = performance.now() - start;
    await sleep(20);
    delay.disable();
    turns.push(delay.max / 1e6);
  }
  const turn = turns.sort((one, other) => one - other)[rounds >> 1] ?? 0;
  console.log(
    `${name.padEnd(64)} ${String(status).padStart(4)} ${turn.toFixed(0).padStart(7)} ms ${took.toFixed(0).padStart(7)} ms`,
  );
}

const api = (name: string, method: string, path: string, body?: object | string) =>
  measure(name, `${system.management.url}${path}`, {
    method,
    headers: { authorization, ...(body && json) },
    ...(body && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
const call = (name: string, path: string, body: object) =>
  measure(name, `${proxy?.url}${path}`, {
    method: 'POST',
    headers: { ...json, authorization: 'Bearer k', 'x-agent-name': 'turns' },
    body: JSON.stringify(body),
  });

const functions = (count: number) => many(count, (at) => ({ type: 'function', function: { name: `tool_${at}` } }));
const chat = { model: 'gpt-5-mini', messages: [], max_tokens: 10 };
const servers = many(500, (at) => ({ type: 'url', url: `https://s${at}.example.com/mcp`, name: `server-${at}` }));
const toolsets = many(500, (at) => ({ type: 'mcp_toolset', mcp_server_name: `server-${at}` }));

/** Sets all policies. */
async function setPolicies(policies: object[]): Promise<void> {
  const stored = await system.api<{ id: string }[]>('/api/v1/policies');
  for (const { id } of stored)
    await fetch(`${system.management.url}/api/v1/policies/${id}`, { method: 'DELETE', headers: { authorization } });
  for (const policy of policies) await system.api('/api/v1/policies', { method: 'POST', body: JSON.stringify(policy) });
}

console.log(`medians of ${rounds} rounds\n`);
console.log(`${'input'.padEnd(64)} status longest turn   answered in`);

await setPolicies([]);
for (let sent = 0; sent < 20; sent += 1)
  await call('a request with 100 tools', '/openai/v1/chat/completions', { ...chat, tools: functions(100) });

const preview = '/api/v1/policies/preview';
const named = (at: number) => ({ name: `p${at}`, models: { allow: names(100, at) } });
await api('preview: 100 policies of 100 models', 'POST', preview, { policies: many(100, named) });
const tagged = (at: number) => ({
  name: `p${at}`,
  match: { labels: { team: names(60, 'x'.repeat(at % 9)) }, tags: names(60, at) },
});
await api('preview: 100 policies of 60 labels and 60 tags', 'POST', preview, { policies: many(100, tagged) });
const tooled = (at: number) => ({ name: `p${at}`, tools: { client: { deny: starred(100, at) } } });
await api('preview: 25 policies of 100 patterns of many stars', 'POST', preview, { policies: many(25, tooled) });
const span = many(25, (at) => `mon-sun ${String(at % 24).padStart(2, '0')}:00-${String(at % 24).padStart(2, '0')}:01`)
  .slice(0, 22)
  .join(',');
const timed = (at: number) => ({ name: `p${at}`, hours: { allow: span, zone: at % 2 ? 'Europe/Berlin' : 'UTC' } });
await api('preview: 100 policies of 22 hours each', 'POST', preview, { policies: many(100, timed) });
const short = (at: number) => ({
  name: `p${at}`,
  match: { labels: { a: many(100, () => 'a'), b: many(100, () => 'b'), c: many(100, () => 'c') } },
});
await api('preview: 180 KB of names of one letter', 'POST', preview, { policies: many(100, short) });
const wide = (at: number) => ({ name: `p${at}`, tools: { client: { allow: ['*'] } }, models: { allow: ['a'] } });
await api('preview: 100 policies that contradict each other', 'POST', preview, {
  policies: many(100, (at) => ({ ...wide(at), models: { allow: [`a${at}`] }, providers: { allow: [`b${at}`] } })),
});

const long = (at: number) => 'x'.repeat(200) + at;
const big = (at: number) => ({
  ...{ name: `p${at}`, mode: 'observe', tools: { client: { deny: names(100, long(at)) } } },
  ...{ match: { not: { agents: names(25, at), labels: { team: names(25, at) } } }, models: { deny: names(25, at) } },
});
await setPolicies(many(100, big));
await api('GET policies: 100 of 25 KB', 'GET', '/api/v1/policies');
await api('GET policies?expand=hits', 'GET', '/api/v1/policies?expand=hits');
const [stored] = await system.api<{ id: string }[]>('/api/v1/policies');
await api('PUT a policy of 25 KB beside 99 others', 'PUT', `/api/v1/policies/${stored?.id}`, big(0));
await call('request: 1,000 tools, 100 policies of exact names', '/openai/v1/chat/completions', {
  ...chat,
  tools: functions(1_000),
});
await call('request: 100 models, the same policies', '/openai/v1/chat/completions', {
  ...chat,
  models: names(99, 'm'),
});

const letters = (at: number) => ({
  name: `p${at}`,
  match: { labels: Object.fromEntries(many(75, (label) => [`l${label}`, many(100, () => 'a')])) },
});
await setPolicies(many(100, letters));
await api('GET policies: 100 of 7,500 names', 'GET', '/api/v1/policies');
await call('request: 100 policies of 7,500 names', '/openai/v1/chat/completions', chat);

await setPolicies(
  many(100, (at) => ({ name: `p${at}`, mode: 'observe', tools: { client: { deny: starred(100, at) } } })),
);
await call('request: 1,000 tools, 100 policies of 100 starred patterns', '/openai/v1/chat/completions', {
  ...chat,
  tools: functions(1_000),
});
await setPolicies(
  many(100, (at) => ({
    name: `p${at}`,
    mode: 'enforce',
    tools: { client: { deny: [`n${at}`] }, hosted: { deny: ['x'] } },
  })),
);
await call('answer: 100 calls of 1,000 tools, 100 policies that may end it', '/openai/v1/chat/completions', {
  ...chat,
  tools: functions(1_000),
});

await setPolicies([
  {
    name: 'strip',
    mode: 'enforce',
    tools: { client: { deny: ['x*'] }, remote_mcp: { hosts: ['*.example.com'] }, on_declared: 'strip' },
  },
]);
await call('strip: 500 MCP servers with 500 toolsets', '/anthropic/v1/messages', {
  ...chat,
  mcp_servers: servers,
  tools: [{ name: 'x' }, ...toolsets],
});
const plain = Object.fromEntries(many(990, (at) => [`m${at}`, 'x']));
await call('strip: 900 functions in a namespace of 990 members', '/openai/v1/responses', {
  ...{ model: 'gpt-5-mini', input: 'x', max_output_tokens: 10 },
  tools: [
    {
      ...plain,
      type: 'namespace',
      name: 's',
      tools: many(900, (at) => ({ type: 'function', name: `${at % 2 ? 'x' : 'y'}${at}` })),
    },
  ],
});
await call('strip: 900 functions beside a long choice', '/openai/v1/chat/completions', {
  ...chat,
  tools: many(900, (at) => ({ type: 'function', function: { name: `x${at}` } })),
  tool_choice: { type: 'allowed_tools', tools: many(10_000, (at) => ({ type: 'function', name: `y${at}` })) },
});
await setPolicies([]);

const filler = JSON.stringify({
  labels: Object.fromEntries(many(9_000, (at) => [`label-${at}`, 'some value'])),
  metadata: names(100, 'x'),
});
for (const { method, path, body } of listRoutes())
  if (body)
    await api(
      `${method.toUpperCase()} ${path} with 256 KiB`,
      method.toUpperCase(),
      path.replace(/\{\w+\}/g, 'agt_01k9r3v8w5f2q8m6t4n0x7y1za'),
      filler,
    );
