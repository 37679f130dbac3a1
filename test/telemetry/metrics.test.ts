import { answerCanned, type FakeProvider, startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findSeries, readMetrics } from '../system/read-metric.ts';
import { type RunningService, type System, startSystem, waitFor } from '../system/start-system.ts';
import { openExchange, readAnswer } from '../wire/transparency/exchange-bytes.ts';

const providerMs = 400;
const bodyMs = 600;
const agentName = 'metered-agent-with-a-name-of-its-own';
const model = 'gpt-4o-mini';

let provider: FakeProvider;
let system: System;

beforeAll(async () => {
  provider = await startFakeProvider(async (request, index) => ({
    ...(await answerCanned()(request, index)),
    pauseMs: providerMs,
  }));
  system = await startSystem({ environment: { PROVIDER_OPENAI_URL: provider.url } });
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await provider?.stop();
});

const proxy = () => system.proxies[0] as RunningService;

async function* sendSlowly(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text.slice(0, 20));
  await new Promise((resolve) => setTimeout(resolve, bodyMs));
  yield Buffer.from(text.slice(20));
}

test("a request's time is told apart into ours, the provider's and the agent's own, and into the steps", async () => {
  const text = JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }] });
  const headers = { 'content-type': 'application/json', 'x-agent-name': agentName };
  const answer = await fetch(`${proxy().url}/openai/v1/chat/completions`, {
    method: 'POST',
    headers,
    body: ReadableStream.from(sendSlowly(text)),
    duplex: 'half',
  });
  expect(answer.status).toBe(200);
  await answer.text();
  const metrics = await waitFor('the request to end', async () => {
    const now = await readMetrics(proxy());
    return findSeries(now, 'agp_proxy_request_duration_seconds_count{provider="openai"}') === 1 && now;
  });
  const sum = (name: string) => findSeries(metrics, `agp_proxy_${name}_seconds_sum{provider="openai"}`);
  const step = (name: string) => findSeries(metrics, `agp_proxy_step_seconds_sum{step="${name}"}`);
  expect(sum('provider_first_byte')).toBeGreaterThan((providerMs - 5) / 1000);
  expect(sum('provider')).toBeGreaterThanOrEqual(sum('provider_first_byte'));
  // The body arrives while earlier steps run, so the time that they take is missing from `readBody`.
  const beforeBody = step('identify') + step('admit') + step('resolveSession');
  expect(step('readBody') + beforeBody).toBeGreaterThan((bodyMs - 100) / 1000);
  expect(step('forward')).toBeGreaterThanOrEqual(sum('provider'));
  // Neither the provider's time nor the agent's counts as ours, and nothing is counted twice.
  expect(sum('overhead')).toBeGreaterThan(0);
  expect(sum('overhead') + sum('provider') + step('readBody')).toBeLessThan(sum('request_duration') + 0.1);
  expect(sum('request_duration') - sum('overhead') + beforeBody).toBeGreaterThan((providerMs + bodyMs - 100) / 1000);
  const steps = [
    'readHead',
    'identify',
    'admit',
    'resolveSession',
    'readBody',
    'reserve',
    'claimSession',
    'forward',
    'meter',
    'finish',
  ];
  for (const name of steps) expect(step(name), name).toBeGreaterThan(0);
});

test('the step that refuses a request is timed too', async () => {
  const before = await readMetrics(proxy());
  await fetch(`${proxy().url}/nowhere/v1`);
  const after = await readMetrics(proxy());
  const count = (text: string, name: string) => findSeries(text, `agp_proxy_step_seconds_count{step="${name}"}`);
  expect(count(after, 'readHead')).toBe(count(before, 'readHead') + 1);
  expect(count(after, 'identify')).toBe(count(before, 'identify'));
  expect(count(after, 'finish')).toBe(count(before, 'finish') + 1);
});

test('names follow the conventions of Prometheus, and no label holds what callers choose', async () => {
  const answer = await openExchange(`${proxy().url}/openai`, {
    method: 'POST',
    target: '/v1/chat/completions',
    headers: ['X-Agent-Name', agentName, 'Content-Type', 'application/json'],
    body: Buffer.from(JSON.stringify({ model: 'a-model-of-nobody', messages: [] })),
  });
  await readAnswer(answer);
  for (const service of [proxy(), system.writers[0] as RunningService, system.management]) {
    const text = await readMetrics(service);
    const types = [...text.matchAll(/^# TYPE (agp_\w+) (\w+)$/gm)].map(([, name = '', type = '']) => ({ name, type }));
    expect(types.length).toBeGreaterThan(3);
    for (const { name, type } of types) {
      expect(name.endsWith('_total'), name).toBe(type === 'counter');
      expect(name, 'base units').not.toMatch(/_(?:ms|millis|kb|mb|minutes|percent)(?:_|$)/);
      if (type === 'histogram') expect(name).toMatch(/_(?:seconds|bytes|events)$/);
    }
    expect(text).toMatch(/^agp_build_info\{version="\d+\.\d+\.\d+",service="(?:proxy|writer|management)"\} 1$/m);
    expect(text).toMatch(/^agp_ready 1$/m);
    expect(text).not.toContain(agentName);
    expect(text).not.toMatch(/a-model-of-nobody|gpt-4o-mini|agt_|ses_|evt_/);
  }
});
