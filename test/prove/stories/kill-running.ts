import { errorTable } from '@agp/core/errors';
import type { FakeProvider, Handler } from '@agp/testing/providers';
import { answerCanned } from '@agp/testing/providers';
import { expect } from 'vitest';
import { errorClasses, openStream, type RunningStream, streamKinds } from '../../control/support/running-streams.ts';
import type { Caller } from '../../control/support/send-calls.ts';
import { readMetric } from '../../system/read-metric.ts';
import { type System, waitFor } from '../../system/start-system.ts';
import { expectWithin, milliseconds, type Report, unreported } from '../story.ts';

/** Streams go on for a minute; what does not stream is answered at once. */
const slowly = answerCanned({ words: Array.from({ length: 400 }, (_, index) => ` word${index}`), pauseMs: 150 });
const atOnce = answerCanned();
const streams = /"stream":\s*true|streamGenerateContent/;

export const answerStreamsSlowly: Handler = (received, index) =>
  (streams.test(received.body.toString() + received.target) ? slowly : atOnce)(received, index);

export interface Streaming {
  system: System;
  provider: FakeProvider;
  caller: Caller;
}

export async function openStreams(
  { proxies }: System,
  count: number,
  toAgent: (index: number) => string,
): Promise<RunningStream[]> {
  const opened = Array.from({ length: count }, (_, index) => {
    const kind = streamKinds[index % streamKinds.length] ?? 'chat';
    const headers = { 'x-agent-name': toAgent(index), 'x-session-id': `stream-${toAgent(index)}-${index}` };
    return openStream(kind, proxies[index % proxies.length]?.url ?? '', headers);
  });
  await Promise.all(opened.map(({ started }) => started));
  return opened;
}

export async function setStatus(system: System, name: string, status: string): Promise<void> {
  const agents = await system.api<{ id: string; name: string }[]>('/api/v1/agents');
  const id = agents.find((agent) => agent.name === name)?.id;
  await system.api(`/api/v1/agents/${id}`, { method: 'PUT', body: JSON.stringify({ status }) });
}

/** All end with the error of their provider. @returns when the last did */
export async function expectKilled(running: readonly RunningStream[], message: string): Promise<number> {
  const ends = await Promise.all(running.map(({ ended }) => ended));
  for (const [index, { error, pieces }] of ends.entries()) {
    const kind = running[index]?.kind ?? 'chat';
    expect(error, kind).toBeInstanceOf(errorClasses[kind]);
    expect(String((error as Error).message), kind).toContain(message);
    expect(pieces).toBeGreaterThan(0);
  }
  return Math.max(...ends.map(({ at }) => at));
}

/** @returns how many requests the proxies say that they ended */
export async function countKilled({ proxies }: System, reason: string): Promise<number> {
  const series = `agp_proxy_killed_requests_total{reason="${reason}"}`;
  const counts = await Promise.all(proxies.map((proxy) => readMetric(proxy, series)));
  // A series begins with its first count.
  return counts.reduce((sum, count) => sum + (count || 0), 0);
}

interface KilledPayload {
  outcome: string;
  http_status: number;
  completion_tokens: number;
}

async function readKilledEvents(system: System, agentName: string, count: number): Promise<KilledPayload[]> {
  return waitFor(`${count} events of killed requests`, async () => {
    const { rows } = await system.database.pool.query<{ payload: string }>(
      `SELECT payload FROM events JOIN agents ON agents.id = agent_id
       WHERE name = $1 AND payload LIKE '%"outcome":"killed"%'`,
      [agentName],
    );
    return rows.length === count && rows.map(({ payload }) => JSON.parse(payload) as KilledPayload);
  });
}

export interface KillRunningSize {
  streams: number;
  /** Send other requests of the agent, one after the other. */
  workers: number;
  /** Served before the block, and asked for after it. */
  each: number;
  /** In which the streams are to end. */
  promisedMs?: number;
}

/** Blocks an agent of running streams and of other requests: the streams end with an error and are recorded so, and nothing later is served. */
export async function killRunning(
  { system, provider, caller }: Streaming,
  size: KillRunningSize,
  report: Report = unreported,
): Promise<void> {
  const agentName = 'runaway';
  const [{ url: firstUrl } = { url: '' }] = system.proxies;
  await caller.sendPatiently(firstUrl, { agentName });
  const running = await openStreams(system, size.streams, () => agentName);
  const begun = provider.requests.filter(({ body, target }) => streams.test(body.toString() + target));
  expect(begun).toHaveLength(size.streams);
  // Some begin with pieces that hold no text yet.
  await waitFor('text in each stream', async () => running.every((stream) => stream.pieces() > 4));

  let stopped = false;
  let blockedAt = Number.POSITIVE_INFINITY;
  let served = 0;
  const late: number[] = [];
  const startedAt = performance.now();
  const sending = Array.from({ length: size.workers }, async (_, worker) => {
    while (!stopped) {
      const sentAt = performance.now();
      const { status } = await caller.send(system.proxies[worker % system.proxies.length]?.url ?? '', { agentName });
      if (sentAt > blockedAt) late.push(status);
      else if (status === 200) served += 1;
    }
  });
  let lastEnded: number;
  try {
    await waitFor('requests to be served', () => served >= size.each);
    await setStatus(system, agentName, 'blocked');
    blockedAt = performance.now();
    lastEnded = await expectKilled(running, errorTable.agent_blocked.message);
    await waitFor('requests after the block', () => late.length >= size.each);
  } finally {
    stopped = true;
    await Promise.all(sending);
  }
  const rate = served / ((blockedAt - startedAt) / 1_000);
  report({ streams: size.streams, 'requests a second': Math.round(rate), 'refused after': late.length });
  report({ 'last stream ended after': milliseconds(lastEnded - blockedAt) });
  expect(late.filter((status) => status !== 403 && status !== 503)).toEqual([]);
  expect(await Promise.all(begun.map(({ aborted }) => aborted))).toEqual(Array(size.streams).fill(true));

  // Some requests that do not stream were running, too.
  const events = await readKilledEvents(system, agentName, await countKilled(system, 'agent_blocked'));
  const ofStreams = events.filter(({ http_status }) => http_status === 200);
  expect(ofStreams).toHaveLength(size.streams);
  for (const event of ofStreams) expect(event.completion_tokens).toBeGreaterThan(0);
  await setStatus(system, agentName, 'active');
  expect((await caller.sendPatiently(firstUrl, { agentName })).status).toBe(200);
  expectWithin('the last stream ended', lastEnded - blockedAt, size.promisedMs);
}
