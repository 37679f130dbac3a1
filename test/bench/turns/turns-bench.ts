/**
 * For each entrance the largest and the worst input that is known: the longest turn of the event loop, in which a service answers nobody, and the
 * longest that somebody else's call took meanwhile, beside what it takes alone under the same rules: another agent's with a small body and with
 * one of 36 KB, or another key's. The product's rules are a turn of 50 ms and 250 ms more than alone, on an ordinary machine.
 *
 * All services run within this process; callers, the provider and the check in a thread.
 */
import { once } from 'node:events';
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { startTestServers, useTestServers } from '@agp/testing';
import { startSystem } from '../../system/start-system.ts';
import { readArguments } from '../read-arguments.ts';
import type { Asked, Call, Told } from './caller.ts';
import type { Input } from './input.ts';
import { listInputs } from './list-inputs.ts';

const { rounds, only } = readArguments('bench:turns', { rounds: 3, only: '' });

const { servers, stop } = await startTestServers();
useTestServers(servers);
await using after = new AsyncDisposableStack();
after.defer(stop);
const caller = new Worker(new URL('./caller.ts', import.meta.url));
after.defer(async () => void (await caller.terminate()));
const [urls] = (await once(caller, 'message')) as [{ provider: string; check: string }];
const providers = ['OPENAI', 'ANTHROPIC', 'GEMINI'].map((id) => [`PROVIDER_${id}_URL`, urls.provider]);
await using system = await startSystem({
  environment: {
    ...Object.fromEntries(providers),
    ...{ LOG_LEVEL: 'fatal', STORAGE_TIMEOUT_MS: '60000', MAX_BODY_BYTES: '33554432' },
    CHECK_ALLOWED_HOSTS: new URL(urls.check).host,
    CHECK_SECRET: `whsec_${Buffer.from('c'.repeat(32)).toString('base64')}`,
  },
});

async function makeKey(name: string, match?: object): Promise<string> {
  const body = JSON.stringify({ name, scopes: ['read'], ...(match && { match }) });
  return (await system.api<{ secret: string }>('/api/v1/keys', { method: 'POST', body })).secret;
}
const keys = {
  ...{ admin: system.apiKey, read: await makeKey('reader') },
  ...{ team: await makeKey('team', { team: 'sales' }), other: await makeKey('other') },
};

const toManagement = (method: string, path: string, key: string, body?: string): Call => ({
  url: `${system.management.url}${path}`,
  init: {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body }),
  },
});
const toProxy = (agent: string, path: string, body = '{}'): Call => ({
  url: `${system.proxies[0]?.url}${path}`,
  init: {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer k', 'x-agent-name': agent },
    body,
  },
});

const others = ['', 'lorem ipsum '.repeat(3_000)].map((text) =>
  toProxy(
    'other',
    '/openai/v1/chat/completions',
    JSON.stringify({
      model: 'gpt-5-mini',
      max_tokens: 1,
      messages: [{ role: 'user', content: `somebody else ${text}` }],
    }),
  ),
);
const otherReads = [toManagement('GET', '/api/v1/agents?limit=1', keys.other)];

/** Sets all policies. */
let set: readonly object[] = [];
async function setPolicies(policies: readonly object[]): Promise<void> {
  if (policies === set) return;
  set = policies;
  for (const { id } of await system.api<{ id: string }[]>('/api/v1/policies'))
    await fetch(`${system.management.url}/api/v1/policies/${id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${system.apiKey}` },
    });
  for (const policy of policies) await system.api('/api/v1/policies', { method: 'POST', body: JSON.stringify(policy) });
}

/** @param begin just before it is asked */
async function ask(asked: Asked, begin = () => {}): Promise<Told> {
  caller.postMessage(asked);
  await once(caller, 'message');
  await sleep(20);
  begin();
  caller.postMessage('go');
  const [told] = (await once(caller, 'message')) as [Told];
  return told;
}

/** Of garbage, since a round began: a part of a turn, and longer here than in a service of its own, since all share one heap. In milliseconds. */
let longestCollection = 0;
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) longestCollection = Math.max(longestCollection, duration);
}).observe({ entryTypes: ['gc'] });

async function measure({ entrance, name, policies, key, path, method, body }: Input, at: number): Promise<void> {
  if (!`${entrance}: ${name}`.includes(only)) return;
  if (policies !== undefined) await setPolicies(policies);
  const asked: Asked = {
    call: key === undefined ? toProxy('turns', path) : toManagement(method, path, keys[key], body && ''),
    input: at,
    others: key === undefined ? others : otherReads,
  };
  const quiet = (key === undefined ? toProxy('turns', '/openai/v1/models', '{}') : otherReads[0]) as Call;
  await ask({ ...asked, call: quiet, input: null });
  const alone = await ask({ ...asked, call: quiet, input: null });
  const seen: { turn: number; collected: number; told: Told }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await sleep(100);
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const told = await ask(asked, () => {
      delay.reset();
      longestCollection = 0;
    });
    await sleep(20);
    delay.disable();
    seen.push({ turn: delay.max / 1e6, collected: longestCollection, told });
  }
  const { turn, collected, told } = seen.sort((one, other) => one.turn - other.turn)[
    rounds >> 1
  ] as (typeof seen)[number];
  const figures = [turn, collected, told.waitMs, alone.waitMs, told.tookMs]
    .map((ms) => `${ms.toFixed(0).padStart(8)} ms`)
    .join('');
  const ended = told.waited === 200 ? '' : `  the other got ${told.waited}`;
  console.log(`${entrance.padEnd(17)} ${name.padEnd(64)} ${String(told.status).padStart(4)}${figures}${ended}`);
}

console.log(`medians of ${rounds} rounds\n`);
const heads = ['turn', 'collected', 'wait', 'wait alone', 'answered'].map((head) => head.padStart(11)).join('');
console.log(`${'entrance'.padEnd(17)} ${'input'.padEnd(64)} code${heads}`);
for (const [at, input] of listInputs(`${urls.check}/`).entries()) await measure(input, at);
