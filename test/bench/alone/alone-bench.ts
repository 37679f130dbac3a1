/**
 * What a call waits for that comes alone, or with a few others: callers that each wait for their answers, before a provider that takes
 * 20 ms. The provider alone, a bare Node proxy and the product take turns; the system places the processes. Then what one request has
 * each process do. `--scenario all` runs what AIGatewayBench tries: prompts by size, one slow caller among others, a flood of unknown
 * keys, streams. `--against ../other` compares the proxy of another checkout, on the same servers and with the same writer;
 * `--portkey folder` Portkey's gateway, if npm has installed it in that folder.
 */
import { once } from 'node:events';
import { resolve } from 'node:path';
import { connectBus } from '@agp/bus';
import { startDurableServers } from '@agp/testing/servers';
import { startTargets, type Target } from '../latency/targets.ts';
import { startPinned, startProxy, stopAll, warmUp } from '../processes.ts';
import { waitUntilRecorded } from '../product.ts';
import { readArguments } from '../read-arguments.ts';
import { describeMachine, quantile } from '../statistics.ts';
import type { ClosedFailure, ClosedSlice, ClosedTimes } from './closed-load.ts';
import { startPortkey } from './portkey.ts';
import { listScenarios, type Scenario } from './scenarios.ts';
import { readSteps, type Work, watchWork } from './watch-work.ts';

const options = readArguments('bench:alone', {
  scenario: 'connections',
  connections: '1,4,16,64',
  rounds: 3,
  seconds: 3,
  wait: 20,
  against: '',
  portkey: '',
});
const known = listScenarios(options.connections.split(',').map(Number), options.wait);
const chosen = options.scenario === 'all' ? Object.keys(known) : options.scenario.split(',');
const scenarios = chosen.flatMap((name) => {
  const found = known[name];
  if (found === undefined) throw new Error(`--scenario is all, or some of ${Object.keys(known).join(', ')}`);
  return found;
});
const agents = 20;
const path = '/v1/chat/completions';
const toUrl = ({ origin, prefix }: Target) => `${origin}${prefix}${path}`;

const provider = await startPinned(
  `${import.meta.dirname}/../stream-provider.ts`,
  { BENCH_WAIT_MS: String(options.wait) },
  null,
);
const load = await startPinned(`${import.meta.dirname}/closed-load.ts`, {}, null);
await using servers = await startDurableServers(process.env);
const targets = await startTargets(servers, provider, null);
const { proxy, writer, management } = targets.product;
const other =
  options.against === ''
    ? null
    : await startProxy(servers, provider.url, { core: null, checkout: resolve(options.against) });
const portkey = options.portkey === '' ? null : await startPortkey(resolve(options.portkey), provider.url);
const all: Target[] = [
  ...targets.all,
  ...(other ? [{ name: 'the other', origin: other.url, prefix: '/openai', isOurs: true }] : []),
  ...(portkey ? [portkey.target] : []),
];
const readWork = watchWork({ proxy: proxy.child, writer: writer.child, management: management.child });
const connection = await connectBus({ url: servers.natsUrl, name: 'alone-bench' });
/** @throws Error unless all is answered as was expected */
async function send(target: Target, { load: { body, headers, callers } }: Scenario): Promise<ClosedTimes> {
  const told = { ...headers, ...target.headers };
  const { seconds } = options;
  load.child.send({ url: toUrl(target), headers: told, body, callers, seconds, agents } satisfies ClosedSlice);
  const [times] = (await once(load.child, 'message')) as [ClosedTimes | ClosedFailure];
  if ('failure' in times) throw new Error(times.failure);
  if (target.isOurs) await waitUntilRecorded(connection);
  return times;
}

const column = (value: number, digits = 2) => value.toFixed(digits).padStart(9);

type Done = Record<string, Work>;

/** What was done between two readings, added to what was done before. */
const addWork = (sum: Done, from: Done, to: Done): Done =>
  Object.fromEntries(
    Object.entries(to).map(([name, work]) => {
      const each = (of: keyof Work) => (sum[name]?.[of] ?? 0) + work[of] - (from[name]?.[of] ?? 0);
      return [name, { cpu: each('cpu'), wakeUps: each('wakeUps'), calls: each('calls') }];
    }),
  );

/** What the product did for each of so many requests. */
function printWork(done: Done, requests: number): void {
  console.log(`  ${'a request has'.padEnd(14)} us of CPU  wake-ups  reads and writes`);
  for (const [name, { cpu, wakeUps, calls }] of Object.entries(done)) {
    const each = [column((cpu / requests) * 1e6, 0), column(wakeUps / requests), column(calls / requests)];
    console.log(`  ${name.padEnd(14)} ${each.join(' ')}`);
  }
}

console.log(describeMachine());
console.log(
  `${options.rounds} rounds of ${options.seconds} s; the provider takes ${options.wait} ms; ${agents} agents`,
);
for (const target of all) await warmUp(toUrl(target), agents, target.isOurs ? 8 : 4, target.headers);
await waitUntilRecorded(connection);
for (const scenario of scenarios) {
  const times = new Map(all.map((target) => [target, [] as number[]]));
  const steps = await readSteps(proxy.opsUrl);
  let [done, requests] = [{} as Done, 0];
  let failure: string | null = null;
  for (let round = 0; round < options.rounds; round += 1) {
    // Each is the first after another one as often as the others.
    for (const [index] of all.entries()) {
      const target = all[(index + round) % all.length] as Target;
      const from = readWork();
      const taken = await send(target, scenario).catch((error: Error) => {
        if (target !== portkey?.target) throw error;
        failure = error.message;
      });
      if (!taken) continue;
      times.set(target, [...(times.get(target) ?? []), ...(scenario.isStream ? taken.firstByte : taken.lastByte)]);
      if (target.name !== 'ours') continue;
      requests += taken.requests;
      done = addWork(done, from, readWork());
    }
  }
  console.log(`\n${scenario.title}`);
  console.log(`${' '.repeat(16)}${'      p50       p99     added p50   added p99   ms'}`);
  const direct = times.get(all[0] as Target) ?? [];
  for (const [{ name }, each] of times) {
    if (each.length === 0) continue;
    const [p50, p99] = [quantile(each, 0.5), quantile(each, 0.99)];
    const added = [p50 - quantile(direct, 0.5), p99 - quantile(direct, 0.99)];
    console.log(
      `  ${name.padEnd(14)} ${column(p50)} ${column(p99)} ${added.map((value) => column(value)).join('   ')}`,
    );
  }
  if (failure !== null) console.log(`  Portkey fails: ${failure}`);
  printWork(done, requests);
  const told = [...(await readSteps(proxy.opsUrl))].flatMap(([step, { seconds, count }]) => {
    const was = steps.get(step) ?? { seconds: 0, count: 0 };
    return count > was.count ? `${step} ${(((seconds - was.seconds) / (count - was.count)) * 1_000).toFixed(2)}` : [];
  });
  console.log(`  steps, ms: ${told.join(', ')}`);
}
await connection.close();
const stand = [load.child, provider.child, targets.bare.child];
const gone = stand.map((child) => once(child, 'exit'));
for (const child of stand) child.disconnect();
await stopAll([proxy, writer, management, ...(other ? [other] : []), ...(portkey ? [portkey] : [])]);
await Promise.all(gone);
