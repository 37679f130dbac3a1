import { errorTable } from '@agp/core/errors';
import { answerCanned, type FakeProvider, startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  answerStreamsSlowly,
  countKilled,
  expectKilled,
  killRunning,
  openStreams,
  setStatus,
} from '../prove/stories/kill-running.ts';
import { type System, startSystem, waitFor } from '../system/start-system.ts';
import { openStream, streamKinds } from './support/running-streams.ts';
import { Caller } from './support/send-calls.ts';

let provider: FakeProvider;
let system: System;
const caller = new Caller();

const providerUrls = (url: string) => ({
  PROVIDER_OPENAI_URL: url,
  PROVIDER_ANTHROPIC_URL: url,
  PROVIDER_GEMINI_URL: url,
});

beforeAll(async () => {
  provider = await startFakeProvider(answerStreamsSlowly);
  system = await startSystem({ proxies: 3, environment: providerUrls(provider.url) });
});
afterAll(async () => {
  await caller[Symbol.asyncDispose]();
  await system?.[Symbol.asyncDispose]();
  await provider?.stop();
});

test('a block ends the running streams of three proxies with the error of their provider, and nothing later is served', () =>
  killRunning({ system, provider, caller }, { streams: 6, workers: 2, each: 4 }));

test('a block ends the streams of that agent alone; a pause ends those of all, and refuses every next request', async () => {
  const blocked = await openStreams(system, 8, () => 'one-of-two');
  const others = await openStreams(system, 12, (index) => `other-${index}`);
  await setStatus(system, 'one-of-two', 'blocked');
  await expectKilled(blocked, errorTable.agent_blocked.message);
  const before = others.map(({ pieces }) => pieces());
  await waitFor('the others to go on', () => others.every(({ pieces }, index) => pieces() > (before[index] ?? 0) + 2));

  await setPaused(true);
  await expectKilled(others, errorTable.paused.message);
  for (const { url } of system.proxies) {
    const { status, error, retryAfter } = await caller.sendPatiently(url, { agentName: 'other-1' });
    expect([status, error, retryAfter]).toEqual([503, errorTable.paused.message, '1']);
    // An unknown agent does not pass a pause; one that is blocked hears that first.
    expect((await caller.sendPatiently(url, { agentName: 'never-seen' })).error).toBe(errorTable.paused.message);
    expect((await caller.sendPatiently(url, { agentName: 'one-of-two' })).error).toMatch(/^agent blocked since /);
  }
  expect(await countKilled(system, 'paused')).toBe(12);
  await setPaused(false);
  expect((await caller.sendPatiently(system.proxies[2]?.url ?? '', { agentName: 'other-1' })).status).toBe(200);
});

const setPaused = (paused: boolean) => system.database.pool.query('UPDATE control SET paused = $1', [paused]);

test('KILL_RUNNING=false: what runs when its agent is blocked goes on to its end, and the next request is refused', async () => {
  await using quick = await startFakeProvider(answerCanned({ words: Array(10).fill(' word'), pauseMs: 200 }));
  await using lenient = await startSystem({ environment: { ...providerUrls(quick.url), KILL_RUNNING: 'false' } });
  const url = lenient.proxies[0]?.url ?? '';
  const running = streamKinds.map((kind) => openStream(kind, url, { 'x-agent-name': 'finishing' }));
  await Promise.all(running.map(({ started }) => started));
  await lenient.database.pool.query(`UPDATE agents SET status = 'blocked'`);
  expect((await caller.sendPatiently(url, { agentName: 'finishing' })).error).toBe(errorTable.agent_blocked.message);
  for (const { ended } of running) expect((await ended).error).toBeUndefined();
});
