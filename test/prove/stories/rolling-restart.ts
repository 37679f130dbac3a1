import { errorTable } from '@agp/core/errors';
import { startFakeProvider } from '@agp/testing/providers';
import { expect } from 'vitest';
import { askManagement } from '../../lifecycle/rolling/ask-management.ts';
import { expectAllRecorded } from '../../lifecycle/rolling/check-recorded.ts';
import { type Replica, replaceProcess } from '../../lifecycle/rolling/replace-process.ts';
import { answerLoad, type SentRequest, sendLoad } from '../../lifecycle/rolling/send-load.ts';
import { type Balancer, startBalancer } from '../../lifecycle/rolling/start-balancer.ts';
import { LiveClient } from '../../recording/exactly-once/live-client.ts';
import { readMetric } from '../../system/read-metric.ts';
import { type ProcessOptions, startProcesses } from '../../system/start-processes.ts';
import { type ServiceName, waitFor } from '../../system/start-system.ts';
import { type Report, unreported } from '../story.ts';
import { hurryRedelivery } from './exactly-once.ts';

const liveClients = 3;

export interface ReplicaSettings {
  drainDelaySeconds: number;
  /** Between the words of a stream, of which it has 25 to 50. */
  wordPauseMs: number;
  /** Where those run that no story stops or kills: the second replica of each service, and successors. */
  others: 'processes' | 'within';
}

/** As they are deployed. */
export const usual: ReplicaSettings = { drainDelaySeconds: 5, wordPauseMs: 200, others: 'processes' };
/** For short forms. Kept connections hear of the end with their next answer, so the delay must span one. */
export const quick: ReplicaSettings = { drainDelaySeconds: 3, wordPauseMs: 20, others: 'within' };

/** So many are recorded before each process is replaced, and after the last. */
const eventsBetween = 10;

/**
 * Two of each service, behind balancers.
 *
 * @param within services that no story stops or kills: their first replicas run within, too
 * @param options of the system, such as what its processes run
 */
export async function startReplicas(
  { drainDelaySeconds, wordPauseMs, others }: ReplicaSettings,
  within: readonly ServiceName[] = [],
  options: ProcessOptions = {},
) {
  await using opened = new AsyncDisposableStack();
  const provider = opened.use(await startFakeProvider(answerLoad(wordPauseMs)));
  const system = opened.use(
    await startProcesses({
      ...options,
      within,
      environment: {
        PROVIDER_OPENAI_URL: provider.url,
        DRAIN_DELAY_SECONDS: String(drainDelaySeconds),
        SHUTDOWN_GRACE_SECONDS: '25',
        MAX_REGISTRATIONS_PER_MINUTE: '10000',
      },
    }),
  );
  const startOther = others === 'within' ? system.startWithin : (name: ServiceName) => system.start(name);
  const proxies = [...system.proxies, await startOther('proxy')];
  const writers = [...system.writers, await startOther('writer')];
  const managements = [system.management, await startOther('management')];
  const proxyBalancer = opened.use(await startBalancer({ targets: proxies }));
  const managementBalancer = opened.use(await startBalancer({ targets: managements }));
  await waitFor('all to be ready', () =>
    [
      ...proxies.map((each) => proxyBalancer.isReady(each)),
      ...managements.map((each) => managementBalancer.isReady(each)),
    ].every(Boolean),
  );
  const everything = opened.move();
  return {
    system,
    startOther,
    proxies,
    writers,
    managements,
    proxyBalancer,
    managementBalancer,
    [Symbol.asyncDispose]: () => everything.disposeAsync(),
  };
}

type Replicas = Awaited<ReturnType<typeof startReplicas>>;

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

/** On a starved machine management may answer 503 because the database answers it too late. */
const isLate = (failure: string): boolean => /\b503 /.test(failure);

/** @param mayBeLate a proxy may refuse because a starved machine reads the agent's status too late */
function listFailures(sent: readonly SentRequest[], mayBeLate: boolean): string[] {
  const isFailure = ({ failure }: SentRequest) =>
    failure !== null && !(mayBeLate && failure.includes(errorTable.status_unavailable.message));
  return sent.filter(isFailure).map(({ kind, failure }) => `${kind}: ${failure}`);
}

async function waitForMore({ database }: Replicas['system'], events: number): Promise<void> {
  const countEvents = async () => {
    const { rows } = await database.pool.query<{ count: number }>('SELECT count(*)::int AS count FROM events');
    return rows[0]?.count ?? 0;
  };
  const before = await countEvents();
  await waitFor('more events', async () => (await countEvents()) >= before + events);
}

export interface RollingSize {
  perSecond: number;
  /** How often every process is replaced. */
  rounds: number;
  /** Done before the processes are replaced, under the load. */
  beforeRound?: (round: number) => Promise<void>;
  /** One process of each service is replaced, and its balancer is told before it is stopped. */
  short?: boolean;
}

/** Replaces every process under load: no request fails, no event is lost, and no client of the live stream misses one. */
export async function restartAll(
  replicas: Replicas,
  { perSecond, rounds, beforeRound, short = false }: RollingSize,
  report: Report = unreported,
): Promise<void> {
  const { system, startOther, proxies, writers, managements, proxyBalancer, managementBalancer } = replicas;
  // Who stops cleanly has announced what it recorded: a client need not look far back.
  await using followed = await followEvents(managementBalancer, system.apiKey, short ? undefined : 5_000);
  const ending = new AbortController();
  const loading = sendLoad(proxyBalancer.url, ending.signal, perSecond);
  const asking = askManagement(managementBalancer.url, system.apiKey, ending.signal);
  let current: Replica[] = [
    ...proxies.map((process): Replica => ({ name: 'proxy', process, balancer: proxyBalancer })),
    ...writers.map((process): Replica => ({ name: 'writer', process })),
    ...managements.map((process): Replica => ({ name: 'management', process, balancer: managementBalancer })),
  ];
  if (short) current = current.filter((_, index) => index % 2 === 0);
  const started = performance.now();
  for (let round = 0; round < rounds; round += 1) {
    const successors: Replica[] = [];
    // Whatever is done by hand is done under the whole load.
    if (beforeRound) await waitForMore(system, 10 * eventsBetween);
    await beforeRound?.(round);
    for (const replica of current) {
      await waitForMore(system, eventsBetween);
      successors.push({ ...replica, process: await replaceProcess(startOther, replica, short) });
    }
    await waitForMore(system, eventsBetween);
    current = successors;
  }
  ending.abort();
  const seconds = (performance.now() - started) / 1_000;
  const [sent, asked] = await Promise.all([loading, asking]);
  const failures = listFailures(sent, short);
  const unanswered = asked.failures.filter((failure) => !(short && isLate(failure)));
  report({
    'processes replaced': current.length * rounds,
    requests: sent.length,
    'a second': Math.round(sent.length / seconds),
    'of which streams': sent.filter(({ kind }) => kind === 'stream').length,
    'of management': asked.count,
    failed: failures.length + unanswered.length,
    'of which no replica was ready for': proxyBalancer.refused + managementBalancer.refused,
  });
  expect(failures).toEqual([]);
  expect(unanswered).toEqual([]);
  expect([proxyBalancer.refused, managementBalancer.refused]).toEqual([0, 0]);
  const answered = sent.filter(({ failure }) => failure === null);
  const ids = await expectAllRecorded(system, answered, short ? 60_000 : 10_000);
  report({ events: ids.length });
  await expectAllSeen(followed, ids);
  const { clients } = followed;
  expect(Math.min(...clients.map(({ connections }) => connections))).toBeGreaterThan(short ? 0 : 1);
  const failedConnects = clients.flatMap((client) => client.failedConnects);
  expect(failedConnects.filter((failure) => !(short && isLate(failure)))).toEqual([]);
}

export interface KillUnderLoadSize {
  perSecond: number;
  /** How often a writer is killed. */
  kills: number;
  /** Events that are recorded before each kill, and after the last. */
  between: number;
  /** A starved machine may read an agent's status too late; what a writer held is given out again soon, and not after half a minute. */
  short?: boolean;
}

async function readProxyMegabytes({ proxies }: Replicas): Promise<number[]> {
  const bytes = await Promise.all(proxies.map((proxy) => readMetric(proxy, 'process_resident_memory_bytes')));
  return bytes.map((each) => Math.round(each / 1e6));
}

/** Kills writers and a management under load: no request fails, and what they had in hand is recorded and seen. */
export async function killUnderLoad(
  replicas: Replicas,
  { perSecond, kills, between, short = false }: KillUnderLoadSize,
  report: Report = unreported,
): Promise<void> {
  const { system, startOther, managements, proxyBalancer, managementBalancer } = replicas;
  await using followed = await followEvents(managementBalancer, system.apiKey);
  const ending = new AbortController();
  const loading = sendLoad(proxyBalancer.url, ending.signal, perSecond);
  const writers = [...replicas.writers];
  await waitForMore(system, between);
  const memory = await readProxyMegabytes(replicas);
  for (let kill = 0; kill < kills; kill += 1) {
    await writers.shift()?.kill();
    writers.push(await startOther('writer'));
    if (short) await hurryRedelivery(system.stack.natsUrl);
    if (kill === 0) await managements[0]?.kill();
    await waitForMore(system, between);
  }
  const memoryAtEnd = await readProxyMegabytes(replicas);
  ending.abort();
  const sent = await loading;
  const failures = listFailures(sent, short);
  report({ requests: sent.length, 'writers killed': kills, failed: failures.length });
  report({ 'MB of the proxies': `${memory.join(' and ')}, then ${memoryAtEnd.join(' and ')}` });
  expect(failures).toEqual([]);
  // What a writer held is given out again 30 s after it had it.
  const answered = sent.filter(({ failure }) => failure === null);
  const ids = await expectAllRecorded(system, answered, 60_000);
  report({ events: ids.length });
  await expectAllSeen(followed, ids);
}
