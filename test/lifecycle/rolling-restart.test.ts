import { setTimeout as sleep } from 'node:timers/promises';
import { startFakeProvider } from '@agp/testing/providers';
import { expect, test } from 'vitest';
import { LiveClient } from '../recording/exactly-once/live-client.ts';
import { startProcesses } from '../system/start-processes.ts';
import { waitFor } from '../system/start-system.ts';
import { askManagement } from './rolling/ask-management.ts';
import { expectAllRecorded } from './rolling/check-recorded.ts';
import { type Replica, replaceProcess } from './rolling/replace-process.ts';
import { answerLoad, requestsPerSecond, type SentRequest, sendLoad, warmUpMs } from './rolling/send-load.ts';
import { type Balancer, startBalancer } from './rolling/start-balancer.ts';

/** How often every process is replaced. */
const rounds = Number(process.env.SOAK_RESTARTS ?? 1);
const liveClients = 3;
/** A shared machine that stands still for a second makes proxies answer 503, as they should: one run more tells that from a fault. */
const retry = 1;

async function startAll() {
  await using opened = new AsyncDisposableStack();
  const provider = opened.use(await startFakeProvider(answerLoad));
  const system = opened.use(
    await startProcesses({
      proxies: 2,
      writers: 2,
      environment: {
        PROVIDER_OPENAI_URL: provider.url,
        DRAIN_DELAY_SECONDS: process.env.ROLLING_DRAIN_DELAY ?? '5',
        SHUTDOWN_GRACE_SECONDS: '25',
        MAX_REGISTRATIONS_PER_MINUTE: '10000',
      },
    }),
  );
  const managements = [system.management, await system.start('management')];
  const proxyBalancer = opened.use(await startBalancer({ targets: system.proxies }));
  const managementBalancer = opened.use(await startBalancer({ targets: managements }));
  await waitFor('all to be ready', () =>
    [
      ...system.proxies.map((each) => proxyBalancer.isReady(each)),
      ...managements.map((each) => managementBalancer.isReady(each)),
    ].every(Boolean),
  );
  const everything = opened.move();
  return {
    system,
    managements,
    proxyBalancer,
    managementBalancer,
    [Symbol.asyncDispose]: () => everything.disposeAsync(),
  };
}

/** Clients of the live stream that have what comes before the first request, too. */
async function followEvents(balancer: Balancer, apiKey: string, lookBackMs?: number) {
  const clients = Array.from({ length: liveClients }, () => new LiveClient(balancer.url, apiKey, lookBackMs));
  const following = Promise.all(clients.map((client) => client.run()));
  await waitFor('the streams', () => clients.every(({ connections }) => connections > 0));
  const stop = async () => {
    for (const client of clients) client.stop();
    await following;
  };
  return { clients, [Symbol.asyncDispose]: stop };
}

async function expectAllSeen({ clients }: Awaited<ReturnType<typeof followEvents>>, ids: string[]) {
  const all = new Set(ids);
  await waitFor('each client to have every event', () => clients.every(({ seen }) => seen.size >= all.size)).catch(
    () => {},
  );
  for (const client of clients) {
    expect(all.difference(client.seen).size).toBe(0);
    expect(client.seen.difference(all).size).toBe(0);
    expect(client.repeated).toEqual([]);
  }
}

const countFailures = (sent: readonly SentRequest[]) =>
  sent.filter(({ failure }) => failure !== null).map(({ kind, failure }) => `${kind}: ${failure}`);

test(`every process is replaced under ${requestsPerSecond} requests a second: none fails, no event is lost, no client of the live stream misses one`, {
  retry,
  timeout: 120_000 + rounds * 120_000,
}, async () => {
  await using all = await startAll();
  const { system, managements, proxyBalancer, managementBalancer } = all;
  // Who stops cleanly has announced what it recorded: a client need not look far back.
  await using followed = await followEvents(managementBalancer, system.apiKey, 5_000);
  const ending = new AbortController();
  const loading = sendLoad(proxyBalancer.url, ending.signal);
  const asking = askManagement(managementBalancer.url, system.apiKey, ending.signal);
  const started = performance.now();
  await sleep(2_000);
  let replicas: Replica[] = [
    ...system.proxies.map((process): Replica => ({ name: 'proxy', process, balancer: proxyBalancer })),
    ...system.writers.map((process): Replica => ({ name: 'writer', process })),
    ...managements.map((process): Replica => ({ name: 'management', process, balancer: managementBalancer })),
  ];
  for (let round = 0; round < rounds; round += 1) {
    const successors: Replica[] = [];
    for (const replica of replicas) successors.push({ ...replica, process: await replaceProcess(system, replica) });
    replicas = successors;
  }
  await sleep(1_000);
  ending.abort();
  const seconds = (performance.now() - started) / 1_000;
  const [sent, asked] = await Promise.all([loading, asking]);

  expect(countFailures(sent)).toEqual([]);
  expect(asked.failures).toEqual([]);
  expect([proxyBalancer.refused, managementBalancer.refused]).toEqual([0, 0]);
  expect(sent.length).toBeGreaterThan(0.9 * (seconds - warmUpMs / 1_000) * requestsPerSecond);
  const ids = await expectAllRecorded(system, sent, 10_000);
  await expectAllSeen(followed, ids);
  const { clients } = followed;
  expect(Math.min(...clients.map(({ connections }) => connections))).toBeGreaterThan(1);
  expect(clients.map(({ failedConnects }) => failedConnects)).toEqual(clients.map(() => 0));
  const streams = sent.filter(({ kind }) => kind === 'stream').length;
  console.log(
    `${replicas.length * rounds} processes replaced in ${seconds.toFixed(0)} s: ${sent.length} requests, ${streams} of them streams of 5 to ` +
      `10 s, and ${asked.count} of management, 0 failed, ${ids.length} events; live clients connected ` +
      `${clients.map(({ connections }) => connections).join(', ')} times`,
  );
});

test('a writer and a management killed under load: no request fails, and what they had in hand is recorded and seen', {
  retry,
  timeout: 180_000,
}, async () => {
  await using all = await startAll();
  const { system, managements, proxyBalancer, managementBalancer } = all;
  await using followed = await followEvents(managementBalancer, system.apiKey);
  const ending = new AbortController();
  const loading = sendLoad(proxyBalancer.url, ending.signal);
  await sleep(warmUpMs + 2_000);
  await system.writers[0]?.kill();
  await sleep(2_000);
  await managements[0]?.kill();
  await sleep(3_000);
  ending.abort();
  const sent = await loading;
  expect(countFailures(sent)).toEqual([]);
  // What the writer held is given out again 30 s after it had it.
  const ids = await expectAllRecorded(system, sent, 60_000);
  await expectAllSeen(followed, ids);
});
