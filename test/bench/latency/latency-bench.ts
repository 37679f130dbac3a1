/**
 * What an agent waits for, at loads that do not wait for answers: requests at random moments, timed from the moment at which each was to
 * be sent. The provider alone, a bare Node proxy before it, and the product take turns within each round; the medians of rounds are
 * compared. `--placement free` lets the system place the processes.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectBus } from '@agp/bus';
import { startDurableServers } from '@agp/testing/servers';
import { chatRequest, streamRequest } from '../chat-call.ts';
import { canPin, pinSelf, startPinned, warmUp } from '../processes.ts';
import { describeUsage, type Usage, usagePerRequest, waitUntilRecorded, watchProduct } from '../product.ts';
import { describeMachine, medianOfEach } from '../statistics.ts';
import { type LatencyOptions, medianFigures, printAdded, printFigures, printHead, readOptions } from './figures.ts';
import type { Slice, SliceTimes } from './load.ts';
import { preferProcess, setCaps, startTargets, type Target } from './targets.ts';

const chunks = 25;
const pauseMs = 20;
const headers = { 'content-type': 'application/json', authorization: 'Bearer sk-bench' };
const path = '/v1/chat/completions';

const toUrl = ({ origin, prefix }: Target) => `${origin}${prefix}${path}`;

/** A load, and what each target made of it in each round. */
interface Series {
  title: string;
  load: Pick<Slice, 'perSecond' | 'body' | 'chunks'>;
  rounds: Map<Target, SliceTimes[]>;
  usage: Usage[];
}

function toSeries({ rates, streams }: LatencyOptions, targets: readonly Target[]): Series[] {
  const make = (title: string, load: Series['load']): Series => ({
    title,
    load,
    rounds: new Map(targets.map((target) => [target, []])),
    usage: [],
  });
  const calls = rates.map((rate) => make(`${rate} requests/s`, { perSecond: rate, body: chatRequest }));
  const title = `${streams} streams/s of ${chunks} chunks, ${pauseMs} ms apart`;
  return streams > 0 ? [...calls, make(title, { perSecond: streams, body: streamRequest, chunks })] : calls;
}

function printTimes({ rounds }: Series, of: keyof Omit<SliceTimes, 'failures'>): void {
  const rows = [...rounds].map(([{ name }, times]) => [name, medianFigures(times.map((each) => each[of]))] as const);
  for (const [name, figures] of rows) printFigures(name, figures);
  const [direct, bare, ours] = rows.map(([, figures]) => figures) as [number[], number[], number[]];
  printAdded('added by ours to direct', ours, direct);
  printAdded('added by ours to bare Node', ours, bare);
}

function printSeries(series: Series): void {
  printHead(series.title);
  if (series.load.chunks === undefined) printTimes(series, 'whole');
  else {
    const of = { first: 'first chunk', onTheWay: "a chunk, from the provider's write", between: 'between two chunks' };
    for (const [times, title] of Object.entries(of)) {
      console.log(` ${title}`);
      printTimes(series, times as keyof typeof of);
    }
  }
  console.log(' how late the load itself was sent');
  for (const [{ name }, times] of series.rounds) printFigures(name, medianFigures(times.map(({ late }) => late)));
  for (const [{ name }, times] of series.rounds) {
    const failures = times.flatMap((each) => each.failures);
    if (failures.length > 0) console.log(` ${failures.length} requests failed, ${name}: ${failures[0]}`);
  }
  const [first] = series.usage;
  if (first)
    console.log(` CPU of the product a request: ${describeUsage(medianOfEach(series.usage, Object.keys(first)))}`);
}

const options = readOptions();
const isApart = options.placement === 'apart' && canPin;
if (isApart) pinSelf(1);
const provider = await startPinned(
  `${import.meta.dirname}/../stream-provider.ts`,
  { BENCH_PAUSE_MS: String(pauseMs) },
  null,
);
const { child: generator } = await startPinned(`${import.meta.dirname}/load-generator.ts`, {}, null);
const goesFirst = isApart && [provider.child, generator].every(({ pid }) => preferProcess(pid as number));
await using servers = await startDurableServers(process.env);
const targets = await startTargets(servers, provider, isApart ? 0 : null);
const { proxy, writer, management } = targets.product;
const readUsage = watchProduct({ proxy: [proxy.child], writer: [writer.child], management: [management.child] });
const connection = await connectBus({ url: servers.natsUrl, name: 'latency-bench' });

async function runSlice(target: Target, load: Series['load'], seconds: number, seed: number): Promise<SliceTimes> {
  generator.send({ ...load, urls: [toUrl(target)], headers, seconds, seed, agents: options.agents } satisfies Slice);
  const [times] = (await once(generator, 'message')) as [SliceTimes];
  if (target.isOurs) await waitUntilRecorded(connection);
  await sleep(100);
  return times;
}

console.log(describeMachine());
console.log(
  isApart
    ? `On two cores: the proxy that is measured has the first for itself, all else shares the second.${goesFirst ? ' Load and provider go first there.' : ''}`
    : 'All processes share the cores as the system sees fit.',
);
console.log(
  `${options.rounds} rounds of ${options.seconds} s each; ${options.agents} agents, half of them with a cap; seed ${options.seed}`,
);
const all = toSeries(options, targets.all);
const [direct, bare, ours] = targets.all as [Target, Target, Target];
// The agents exist before the load is full, and have their caps.
await runSlice(ours, { perSecond: 50, body: chatRequest }, 2, options.seed);
await setCaps(servers.databaseUrl);
for (const target of [direct, bare, ours]) await warmUp(toUrl(target), options.agents, target.isOurs ? 9 : 1.5);
const stream = { perSecond: options.streams, body: streamRequest, chunks };
if (options.streams > 0) for (const target of [bare, ours]) await runSlice(target, stream, 1.5, options.seed);
await waitUntilRecorded(connection);
for (let round = 0; round < options.rounds; round += 1) {
  for (const series of all) {
    // Each is the first after another one as often as the others.
    const order = targets.all.map((_, index) => targets.all[(index + round) % targets.all.length] as Target);
    for (const target of order) {
      const before = readUsage();
      const times = await runSlice(target, series.load, options.seconds, options.seed + round);
      series.rounds.get(target)?.push(times);
      if (target.isOurs) series.usage.push(usagePerRequest(before, readUsage(), times.whole.length));
    }
  }
}
for (const series of all) printSeries(series);
await connection.close();
const children = [generator, provider.child, targets.bare.child, proxy.child, writer.child, management.child];
const gone = children.map((child) => once(child, 'exit'));
for (const { child } of Object.values(targets.product)) child.kill('SIGTERM');
for (const child of [generator, provider.child, targets.bare.child]) child.disconnect();
await Promise.all(gone);
