/**
 * What more proxies and writers bring: 1, 2 and 4 proxies, 1 and 2 writers, before three NATS servers with streams of three copies, one
 * Postgres and one Redis. All share this machine, so nothing is taken from the wall clock but the rate at which a backlog is recorded:
 * what each part used for a request tells where it would be full on a machine of its own.
 */
import { once } from 'node:events';
import { connectBus } from '@agp/bus';
import { openDatabase } from '@agp/db';
import { startDurableServers } from '@agp/testing/servers';
import { chatRequest } from '../chat-call.ts';
import type { Slice, SliceTimes } from '../latency/load.ts';
import { type StartedProcess, startPinned, startProxy, startService, warmUp } from '../processes.ts';
import { type Usage, usagePerRequest, waitUntilRecorded, watchProduct } from '../product.ts';
import { readArguments } from '../read-arguments.ts';
import { describeMachine } from '../statistics.ts';
import { countStatements, type Drain, drainBacklog, readStatements, resetStatements, startCluster } from './cluster.ts';
import { printDrains, printLimits, printScale, printStatements, type Scale, type ScaleRound } from './print-scale.ts';

const options = readArguments('bench:scale', {
  'per-proxy': 150,
  seconds: 5,
  rounds: 2,
  events: 20_000,
  'server-cores': 8,
  seed: 1,
});
const { 'per-proxy': perProxy, seconds, rounds } = options;
const agents = 20;
const most = 4;
const steps = [
  { proxies: 1, writers: 1 },
  { proxies: 2, writers: 1 },
  { proxies: most, writers: 1 },
  { proxies: most, writers: 2 },
];
const environment = { LOG_LEVEL: 'error', EVENT_STREAM_REPLICAS: '3', EVENT_STREAM_MAX_BYTES: String(1024 ** 3) };

const provider = await startPinned(`${import.meta.dirname}/../stream-provider.ts`, {}, null);
const { child: generator } = await startPinned(`${import.meta.dirname}/../latency/load-generator.ts`, {}, null);
await using durable = await startDurableServers(process.env, [countStatements]);
await using cluster = await startCluster();
const servers = { ...durable, natsUrl: cluster.url };
const database = openDatabase({ url: servers.databaseUrl, applicationName: 'bench', maxConnections: 1 });
const connection = await connectBus({ url: servers.natsUrl, name: 'scale-bench' });
const proxies: StartedProcess[] = [];
const writers: StartedProcess[] = [];
const childrenOf = (started: readonly StartedProcess[]) => started.map(({ child }) => child);

const toUrl = ({ url }: StartedProcess) => `${url}/openai/v1/chat/completions`;

async function sendLoad(
  to: readonly StartedProcess[],
  perSecond: number,
  length: number,
  seed: number,
): Promise<number> {
  const urls = to.map(toUrl);
  const headers = { 'content-type': 'application/json', authorization: 'Bearer sk-bench' };
  generator.send({ urls, headers, body: chatRequest, perSecond, seconds: length, seed, agents } satisfies Slice);
  const [{ whole, failures }] = (await once(generator, 'message')) as [SliceTimes];
  await waitUntilRecorded(connection);
  if (failures.length > 0) console.log(`${failures.length} requests failed, first: ${failures[0]}`);
  return whole.length;
}

const management = await startService('management', servers, null, environment);

function watch(): () => Usage {
  return watchProduct({
    proxy: childrenOf(proxies),
    writer: childrenOf(writers),
    management: [management.child],
  });
}

async function runRound(perSecond: number, round: number): Promise<ScaleRound> {
  const readUsage = watch();
  await resetStatements(database.pool);
  const before = readUsage();
  const requests = await sendLoad(proxies, perSecond, seconds, options.seed + round);
  const usage = usagePerRequest(before, readUsage(), requests);
  return { requests, seconds, usage, statements: await readStatements(database.pool) };
}

const isMost = ({ proxies, writers }: Scale) => proxies === most && writers === 2;

async function measure(step: { proxies: number; writers: number }): Promise<Scale> {
  while (writers.length < step.writers) writers.push(await startService('writer', servers, null, environment));
  while (proxies.length < step.proxies) {
    const proxy = await startProxy(servers, provider.url, { core: null, environment });
    await sendLoad([proxy], 30, 2, 0);
    await warmUp(toUrl(proxy), agents, 6);
    proxies.push(proxy);
  }
  await waitUntilRecorded(connection);
  const scale: Scale = { ...step, rounds: [], calm: [] };
  for (let round = 0; round < rounds; round += 1) {
    if (isMost(scale)) scale.calm.push(await runRound((perProxy * proxies.length) / 4, round));
    scale.rounds.push(await runRound(perProxy * proxies.length, round));
  }
  return scale;
}

/** After the loads: what so many events leave Postgres to do would be counted as theirs. */
async function measureDrains(): Promise<void> {
  const drains: Drain[] = [];
  // The first is for the compilers and the caches.
  for (let round = 0; round <= rounds; round += 1) {
    drains.push(await drainBacklog(connection, childrenOf(writers), watch(), options.events));
  }
  printDrains(writers.length, drains.slice(1));
}

console.log(describeMachine());
console.log(
  `${perProxy} requests/s for each proxy, at random moments, ${rounds} rounds of ${seconds} s; ${options.events} events a backlog. ` +
    'All on this machine: figures are CPU, not time.',
);
for (const step of steps) {
  const scale = await measure(step);
  printScale(scale);
  if (!isMost(scale)) continue;
  printStatements(scale);
  printLimits(scale, options['server-cores']);
}
await measureDrains();
const [{ child: second }] = writers.splice(1) as [StartedProcess];
const ended = once(second, 'exit');
second.kill('SIGTERM');
await ended;
await measureDrains();
await connection.close();
await database.close();
const services = childrenOf([...proxies, ...writers, management]);
const gone = [...services, generator, provider.child].map((child) => once(child, 'exit'));
for (const child of services) child.kill('SIGTERM');
for (const child of [generator, provider.child]) child.disconnect();
await Promise.all(gone);
