/**
 * Whether the services keep more and more memory: an hour's traffic, sent in some minutes, by many agents, with streams and callers that
 * leave. What is left after a full collection is read again and again, and a line fitted to it. Then many streams, held open.
 * `--per-second` is the hour's rate; `--fill 0` leaves out the calls before that hour. `--snapshots FOLDER` writes what each service holds after a quarter and at the end.
 */
import { once } from 'node:events';
import { join } from 'node:path';
import { connectBus } from '@agp/bus';
import { startDurableServers } from '@agp/testing/servers';
import { makeRandom } from '../../soak/make-random.ts';
import { pinSelf, startPinned, startProxy, startService } from '../processes.ts';
import { waitUntilRecorded } from '../product.ts';
import { readArguments } from '../read-arguments.ts';
import { describeMachine } from '../statistics.ts';
import { MixedTraffic } from './mixed-traffic.ts';
import { fillMemories, memoryFlags, printGrowth, readMemory, writeSnapshot } from './read-memory.ts';
import type { MemoryReport } from './report-memory.ts';
import { fitStreams, measureOpenStreams } from './streams.ts';

const options = readArguments('bench:memory', {
  minutes: 10,
  'per-second': 20,
  agents: 1_000,
  streams: '2000,10000',
  fill: 100_000,
  seed: 1,
  snapshots: '',
});
const { minutes, 'per-second': hourly } = options;
const perSecond = (hourly * 60) / minutes;
const samples = 40;
const openCounts = options.streams.split(',').filter(Boolean).map(Number);
const mostStreams = Math.max(0, ...openCounts);

const mostOpen = fitStreams(mostStreams);
pinSelf(1);
const provider = await startPinned(`${import.meta.dirname}/../stream-provider.ts`, { BENCH_PAUSE_MS: '40' }, null);
await using servers = await startDurableServers(process.env);
const environment = {
  LOG_LEVEL: 'error',
  // All agents are at one address, and new at once. No holder may take more than a share of the places.
  MAX_REGISTRATIONS_PER_MINUTE: '1000000',
  MAX_CONNECTIONS: String(10_000 + 5 * mostStreams),
};
const [writer, management] = [
  await startService('writer', servers, null, environment, memoryFlags),
  await startService('management', servers, null, environment, memoryFlags),
];
const proxy = await startProxy(servers, provider.url, {
  flags: memoryFlags,
  environment,
});
const services = { proxy, writer, management };
const connection = await connectBus({ url: servers.natsUrl, name: 'memory-bench' });

console.log(describeMachine());
console.log(
  `${minutes} minutes of ${perSecond.toFixed(0)} requests/s, as many as ${hourly} requests/s are in an hour, by ${options.agents} agents; seed ${options.seed}`,
);
console.log(`first ${options.fill} calls with texts of their own, until what is remembered up to a bound is full`);
await fillMemories(proxy.url, options.agents, options.fill);
await waitUntilRecorded(connection);
const random = makeRandom(options.seed);
const traffic = new MixedTraffic({ url: proxy.url, perSecond, agents: options.agents, random });
const readings: Record<string, [hours: number, MemoryReport][]> = { proxy: [], writer: [], management: [] };
for (let sample = 1; sample <= samples; sample += 1) {
  await traffic.run((minutes * 60) / samples);
  for (const [name, { child }] of Object.entries(services)) {
    readings[name]?.push([sample / samples, await readMemory(child)]);
    const isCompared = sample === samples / 4 || sample === samples;
    if (options.snapshots && isCompared)
      await writeSnapshot(child, join(options.snapshots, `${name}-${sample}.heapsnapshot`));
  }
}
await traffic.stop();
await waitUntilRecorded(connection);
console.log(
  `ended: ${Object.entries(traffic.ended)
    .map(([outcome, count]) => `${outcome} ${count}`)
    .join(', ')}`,
);
for (const [name, seen] of Object.entries(readings)) printGrowth(name, seen);
for (const count of openCounts) await measureOpenStreams(proxy, Math.min(count, mostOpen));

await connection.close();
const children = [proxy, writer, management, provider].map(({ child }) => child);
const gone = children.map((child) => once(child, 'exit'));
for (const child of children) child.kill('SIGTERM');
await Promise.all(gone);
