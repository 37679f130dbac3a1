/**
 * What running streams cost the proxy, beside bare Node: memory of each open stream, and CPU of each chunk. Each round starts both
 * anew, one after the other, opens some streams, then many, and compares the two; the medians of the rounds are compared.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDurableServers } from '@agp/testing/servers';
import { makeEventStream } from '../system/make-event-stream.ts';
import { OpenStreams } from './open-streams.ts';
import { canPin, pinSelf, readCpu, readResident, startPinned, startProxy } from './processes.ts';
import { readArguments } from './read-arguments.ts';
import { median, medianOfEach } from './statistics.ts';

const {
  rounds,
  streams: many,
  seconds,
} = readArguments('bench:open-streams', { rounds: 3, streams: 2_000, seconds: 8 });
/** The heap has grown to its working size with these, and the proxy's workers have started. */
const some = Math.ceil(many / 4);
const chunksPerSecond = 5;

interface Round {
  /** Bytes of the process before any stream. */
  idle: number;
  /** Bytes of each stream beyond the first ones. */
  perStream: number;
  /** Microseconds of one core for each chunk, while many streams are open. */
  perChunk: number;
  /** Chunks a second that came. */
  rate: number;
}

/** The memory that a process holds, each half second for a while: the middle, since the collector comes and goes. */
async function watchMemory(pid: number): Promise<number> {
  const seen: number[] = [];
  for (let sample = 0; sample < seconds * 2; sample += 1) {
    await sleep(500);
    seen.push(readResident(pid));
  }
  return median(seen);
}

async function measure({ child, url }: { child: ChildProcess; url: string }): Promise<Round> {
  const pid = child.pid as number;
  const idle = readResident(pid);
  using streams = new OpenStreams(url);
  await streams.open(some);
  const little = await watchMemory(pid);
  await streams.open(many - some);
  const before = { cpu: readCpu(pid), chunks: streams.chunks, at: performance.now() };
  const much = await watchMemory(pid);
  streams.check();
  const cpu = readCpu(pid) - before.cpu;
  const chunks = streams.chunks - before.chunks;
  return {
    idle,
    perStream: (much - little) / (many - some),
    perChunk: (cpu / chunks) * 1e6,
    rate: chunks / ((performance.now() - before.at) / 1_000),
  };
}

function printRow(name: string, { idle, perStream, perChunk, rate }: Round): void {
  console.log(
    `${name.padEnd(6)} ${(idle / 1024 ** 2).toFixed(0).padStart(4)} MiB idle   ${(perStream / 1024).toFixed(0).padStart(4)} KiB a stream   ` +
      `${perChunk.toFixed(1).padStart(5)} us CPU a chunk   ${rate.toFixed(0)} chunks/s`,
  );
}

async function stop(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

pinSelf(1);
await using servers = await startDurableServers(process.env);
await makeEventStream(servers.natsUrl);
const provider = await startPinned(
  `${import.meta.dirname}/stream-provider.ts`,
  { BENCH_PAUSE_MS: String(1_000 / chunksPerSecond) },
  1,
);
const targets = [
  {
    name: 'bare',
    path: '/v1/chat/completions',
    start: () => startPinned(`${import.meta.dirname}/bare-proxy.ts`, { UPSTREAM_URL: provider.url }),
    results: [] as Round[],
  },
  {
    name: 'proxy',
    path: '/openai/v1/chat/completions',
    start: () => startProxy(servers, provider.url),
    results: [] as Round[],
  },
];
console.log(
  `${rounds} rounds of ${some}, then ${many} streams of ${chunksPerSecond} chunks a second${canPin ? '' : ', not pinned to cores'}`,
);
for (let round = 0; round < rounds; round += 1) {
  for (const { path, start, results } of targets) {
    const { child, url } = await start();
    results.push(await measure({ child, url: `${url}${path}` }));
    await stop(child);
  }
}
const [bare, proxy] = targets.map(({ results }) =>
  medianOfEach(results, ['idle', 'perStream', 'perChunk', 'rate']),
) as [Round, Round];
printRow('bare', bare);
printRow('proxy', proxy);
console.log(
  `ratio  ${(proxy.idle / bare.idle).toFixed(2)} of the idle memory, ${(proxy.perStream / bare.perStream).toFixed(2)} of the memory a stream, ` +
    `${(proxy.perChunk / bare.perChunk).toFixed(2)} of the CPU a chunk`,
);
const gone = once(provider.child, 'exit');
provider.child.disconnect();
await gone;
