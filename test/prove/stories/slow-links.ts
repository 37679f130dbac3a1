import type { LinkWeather } from '@agp/testing';
import { expect } from 'vitest';
import { Caller, type CallResult, countResults } from '../../control/support/send-calls.ts';
import { expectAllRecorded } from '../../lifecycle/rolling/check-recorded.ts';
import { type System, type SystemLinks, waitFor } from '../../system/start-system.ts';
import { expectWithin, milliseconds, type Report, unreported } from '../story.ts';

export interface SlowLinkSize {
  /** Requests in each weather, and how many of them at once. */
  requests: number;
  atOnce: number;
  /** In which each request is answered, also a refused one. */
  promisedMs?: number;
}

/** What may be answered besides the provider's answer. */
const documented = ['503 agent status unavailable', '503 budget unavailable'];

/**
 * Makes the way to one server slow and lossy, and then silent with open connections: every request is served or refused as documented,
 * in time, and served again afterwards; no event is lost or doubled.
 */
export async function sendOverSlowLink(
  system: System,
  server: keyof SystemLinks,
  { requests, atOnce, promisedMs }: SlowLinkSize,
  report: Report = unreported,
): Promise<void> {
  const link = system.links[server];
  const url = system.proxies[0]?.url ?? '';
  await using caller = new Caller();
  const served: string[] = [];
  const sendOne = async (index: number): Promise<CallResult & { ms: number }> => {
    const started = performance.now();
    const result = await caller.send(url, { agentName: `agent-${index % 10}` });
    if (result.status === 200) served.push(String(result.headers['x-event-id']));
    return { ...result, ms: performance.now() - started };
  };
  const sendAll = async () => {
    const results: Awaited<ReturnType<typeof sendOne>>[] = [];
    let next = 0;
    const work = async () => {
      while (next < requests) results.push(await sendOne(next++));
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    return results;
  };
  await waitFor('agents', async () => (await sendAll()).every(({ status }) => status === 200));
  const weathers: [string, LinkWeather][] = [
    ['200 ms', { delayMs: 200 }],
    ['5 % lost', { loss: 0.05 }],
    ['silent', { silent: true }],
  ];
  for (const [name, weather] of weathers) {
    link.set(weather);
    const results = await sendAll().finally(() => link.set({}));
    const { 200: passed = 0, ...refused } = countResults(results);
    const slowest = Math.max(...results.map(({ ms }) => ms));
    report({ [`${server} ${name}: served`]: `${passed} of ${requests}, slowest answer ${milliseconds(slowest)}` });
    expect(Object.keys(refused).filter((answer) => !documented.includes(answer))).toEqual([]);
    expectWithin(`${server} ${name}`, slowest, promisedMs);
    await waitFor('the proxy to serve again', async () => (await sendOne(0)).status === 200);
  }
  // New connections take several round trips, and must be made all the same.
  link.cut();
  link.set({ delayMs: 400 });
  await waitFor('requests to be refused, or served without it', async () => (await sendAll()).length === requests);
  link.mend();
  await waitFor('the proxy to serve with new connections', async () => (await sendOne(0)).status === 200);
  link.set({});
  const sent = served.map((eventId) => ({ kind: 'kept connection' as const, eventId, failure: null }));
  report({ [`events over the way to ${server}`]: (await expectAllRecorded(system, sent, 120_000)).length });
}
