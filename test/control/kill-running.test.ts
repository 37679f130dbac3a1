import { setTimeout as sleep } from 'node:timers/promises';
import { answerCanned, type FakeProvider, startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startProcesses } from '../system/start-processes.ts';
import { type System, waitFor } from '../system/start-system.ts';
import { errorClasses, openStream, type RunningStream, streamKinds } from './support/running-streams.ts';
import { Caller } from './support/send-calls.ts';

const streamCount = 100;
const workers = 24;

/** Streams go on for a minute; what does not stream is answered at once. */
const slowly = answerCanned({ words: Array.from({ length: 400 }, (_, index) => ` word${index}`), pauseMs: 150 });
const atOnce = answerCanned();
const streams = /"stream":\s*true|streamGenerateContent/;

let provider: FakeProvider;
let system: System;
const caller = new Caller();

const providerUrls = (url: string) => ({
  PROVIDER_OPENAI_URL: url,
  PROVIDER_ANTHROPIC_URL: url,
  PROVIDER_GEMINI_URL: url,
});

beforeAll(async () => {
  provider = await startFakeProvider((received, index) =>
    (streams.test(received.body.toString() + received.target) ? slowly : atOnce)(received, index),
  );
  system = await startProcesses({ proxies: 3, environment: providerUrls(provider.url) });
});
afterAll(async () => {
  await caller[Symbol.asyncDispose]();
  await system?.[Symbol.asyncDispose]();
  await provider?.stop();
});

async function openStreams(count: number, toAgent: (index: number) => string): Promise<RunningStream[]> {
  const opened = Array.from({ length: count }, (_, index) => {
    const kind = streamKinds[index % streamKinds.length] ?? 'chat';
    const headers = { 'x-agent-name': toAgent(index), 'x-session-id': `stream-${toAgent(index)}-${index}` };
    return openStream(kind, system.proxies[index % 3]?.url ?? '', headers);
  });
  await Promise.all(opened.map(({ started }) => started));
  return opened;
}

async function setStatus(name: string, status: string): Promise<void> {
  const agents = await system.api<{ id: string; name: string }[]>('/api/v1/agents');
  const id = agents.find((agent) => agent.name === name)?.id;
  await system.api(`/api/v1/agents/${id}`, { method: 'PUT', body: JSON.stringify({ status }) });
}

const setPaused = (paused: boolean) => system.database.pool.query('UPDATE control SET paused = $1', [paused]);

/** All were ended, each with the provider's own error, and their calls to the provider were given up. */
async function expectKilled(running: RunningStream[], message: string, since: number): Promise<number> {
  const ends = await Promise.all(running.map(({ ended }) => ended));
  for (const [index, { error, pieces }] of ends.entries()) {
    const kind = running[index]?.kind ?? 'chat';
    expect(error, kind).toBeInstanceOf(errorClasses[kind]);
    expect(String((error as Error).message), kind).toContain(message);
    expect(pieces).toBeGreaterThan(0);
  }
  const slowest = Math.max(...ends.map(({ at }) => at)) - since;
  // The machine may be slow; the streams themselves would have gone on for a minute.
  expect(slowest).toBeLessThan(2_000);
  return slowest;
}

interface KilledPayload {
  outcome: string;
  http_status: number;
  completion_tokens: number;
  usage_source: string;
}

async function readKilledEvents(agentName: string, count: number): Promise<KilledPayload[]> {
  return waitFor(`${count} events of killed requests`, async () => {
    const { rows } = await system.database.pool.query<{ payload: string }>(
      `SELECT payload FROM events JOIN agents ON agents.id = agent_id
       WHERE name = $1 AND payload LIKE '%"outcome":"killed"%'`,
      [agentName],
    );
    return rows.length === count && rows.map(({ payload }) => JSON.parse(payload) as KilledPayload);
  });
}

async function countKilled(reason: string): Promise<number> {
  let sum = 0;
  for (const { opsUrl } of system.proxies) {
    const metrics = await (await fetch(`${opsUrl}/metrics`)).text();
    const found = new RegExp(`^agp_proxy_killed_requests_total{reason="${reason}"} (\\d+)$`, 'm').exec(metrics);
    sum += Number(found?.[1] ?? 0);
  }
  return sum;
}

test(`a block at full rate over three proxies: nothing later is admitted, and ${streamCount} running streams end with an error within a second`, async () => {
  const agentName = 'runaway';
  await caller.send(system.proxies[0]?.url ?? '', { agentName });
  const running = await openStreams(streamCount, () => agentName);
  const begun = provider.requests.filter(({ body, target }) => streams.test(body.toString() + target));
  expect(begun).toHaveLength(streamCount);

  let stopped = false;
  let blockedAt = Number.POSITIVE_INFINITY;
  let early = 0;
  const late: number[] = [];
  const startedAt = performance.now();
  const sending = Array.from({ length: workers }, async (_, worker) => {
    while (!stopped) {
      const sentAt = performance.now();
      const { status } = await caller.send(system.proxies[worker % 3]?.url ?? '', { agentName });
      if (sentAt > blockedAt) late.push(status);
      else if (status === 200) early += 1;
    }
  });
  let slowest: number;
  try {
    await sleep(2_000);
    await setStatus(agentName, 'blocked');
    blockedAt = performance.now();
    slowest = await expectKilled(running, 'agent blocked', blockedAt);
    await sleep(500);
  } finally {
    stopped = true;
    await Promise.all(sending);
  }
  const rate = early / ((blockedAt - startedAt) / 1_000);
  console.log(
    `blocked at ${rate.toFixed(0)} requests a second over three proxies: ${late.length} later ones refused; ` +
      `the last of ${streamCount} streams ended ${slowest.toFixed(0)} ms after the PUT had answered`,
  );
  expect(rate).toBeGreaterThan(100);
  expect(late.length).toBeGreaterThan(workers);
  expect(late.filter((status) => status !== 403)).toEqual([]);
  expect(await Promise.all(begun.map(({ aborted }) => aborted))).toEqual(Array(streamCount).fill(true));

  // Some requests that do not stream were running, too.
  const events = await readKilledEvents(agentName, await countKilled('agent_blocked'));
  const ofStreams = events.filter(({ http_status }) => http_status === 200);
  expect(ofStreams).toHaveLength(streamCount);
  for (const event of ofStreams) expect(event.completion_tokens).toBeGreaterThan(0);
  await setStatus(agentName, 'active');
  expect((await caller.send(system.proxies[1]?.url ?? '', { agentName })).status).toBe(200);
}, 120_000);

test('a block ends the streams of that agent alone; a pause ends those of all, and refuses every next request', async () => {
  const blocked = await openStreams(8, () => 'one-of-two');
  const others = await openStreams(12, (index) => `other-${index}`);
  await setStatus('one-of-two', 'blocked');
  await expectKilled(blocked, 'agent blocked', performance.now());
  await sleep(600);
  const first = await Promise.race([...others.map(({ ended }) => ended), sleep(0)]);
  expect(first).toBeUndefined();

  await setPaused(true);
  const slowest = await expectKilled(others, 'paused by operator', performance.now());
  console.log(`paused: the last of 12 streams of 12 agents ended after ${slowest.toFixed(0)} ms`);
  for (const { url } of system.proxies) {
    const { status, error, retryAfter } = await caller.send(url, { agentName: 'other-1' });
    expect([status, error, retryAfter]).toEqual([503, 'paused by operator', '1']);
    // What is paused is not let through by an agent that nobody knows yet; one that is blocked hears that first.
    expect((await caller.send(url, { agentName: 'never-seen' })).error).toBe('paused by operator');
    expect((await caller.send(url, { agentName: 'one-of-two' })).error).toBe('agent blocked');
  }
  expect(await countKilled('paused')).toBe(12);
  await setPaused(false);
  expect((await caller.send(system.proxies[2]?.url ?? '', { agentName: 'other-1' })).status).toBe(200);
}, 120_000);

test('KILL_RUNNING=false: what runs when its agent is blocked goes on to its end, and the next request is refused', async () => {
  await using quick = await startFakeProvider(answerCanned({ words: Array(10).fill(' word'), pauseMs: 200 }));
  await using lenient = await startProcesses({ environment: { ...providerUrls(quick.url), KILL_RUNNING: 'false' } });
  const url = lenient.proxies[0]?.url ?? '';
  const running = streamKinds.map((kind) => openStream(kind, url, { 'x-agent-name': 'finishing' }));
  await Promise.all(running.map(({ started }) => started));
  await lenient.database.pool.query(`UPDATE agents SET status = 'blocked'`);
  expect((await caller.send(url, { agentName: 'finishing' })).error).toBe('agent blocked');
  for (const { ended } of running) expect((await ended).error).toBeUndefined();
}, 60_000);
