/**
 * The proxy beside the least that Node can do: a bare node:http server that passes requests on with undici. Both run
 * in turns, in one process each, pinned to one core; the load, the provider and the servers share the other. Medians
 * of the rounds are compared. Agents send the same texts with each turn of a conversation, as this load does; beside it, what texts
 * cost that were never sent before. Then writer and management run too, on that other core, for what the whole product uses.
 * `-- --count` counts instead what a call runs and allocates, and fails above a limit of `counts/limits.ts`.
 * `-- --against ../other` compares the proxy of another checkout too; `-- --profile FOLDER` keeps a CPU profile of the proxy there.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { connectBus } from '@agp/bus';
import { startDurableServers } from '@agp/testing/servers';
import autocannon from 'autocannon';
import { makeEventStream } from '../system/make-event-stream.ts';
import { chatAnswer, chatRequest, withNewTexts } from './chat-call.ts';
import { printCounts } from './counts/print-counts.ts';
import { canPin, pinSelf, readCpu, startPinned, startProxy, startService, stopAll } from './processes.ts';
import { describeUsage, type Usage, usagePerRequest, waitUntilRecorded, watchProduct } from './product.ts';
import { readArguments } from './read-arguments.ts';
import { describeMachine, medianOfEach } from './statistics.ts';

const { rounds, seconds, connections, profile, against, count } = readArguments('bench:proxy', {
  rounds: 5,
  seconds: 4,
  connections: 64,
  profile: '',
  against: '',
  count: false,
});

interface Round {
  requests: number;
  requestsPerSecond: number;
  p50: number;
  p99: number;
  /** Microseconds of one core per request. */
  cpu: number;
}

type Texts = 'same' | 'new';

/** Provider and agents say the same each time, or something new. */
let texts: Texts = 'same';

interface Target {
  child: ChildProcess;
  url: string;
  saying?: Texts;
}

async function measure({ child, url, saying = 'same' }: Target): Promise<Round> {
  texts = saying;
  const before = readCpu(child.pid as number);
  const result = await autocannon({
    url,
    method: 'POST',
    connections,
    duration: seconds,
    headers: { 'content-type': 'application/json', authorization: 'Bearer sk-bench', 'x-agent-name': 'bench' },
    ...(saying === 'same'
      ? { body: chatRequest }
      : { requests: [{ setupRequest: (request) => ({ ...request, body: withNewTexts(chatRequest) }) }] }),
  });
  const used = readCpu(child.pid as number) - before;
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} refusals, ${result.errors} errors`);
  return {
    requests: result['2xx'],
    requestsPerSecond: result['2xx'] / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    cpu: (used / result['2xx']) * 1e6,
  };
}

function printRow(name: string, round: Round): void {
  const { requestsPerSecond, p50, p99, cpu } = round;
  console.log(
    `${name.padEnd(16)} ${requestsPerSecond.toFixed(0).padStart(8)} req/s   p50 ${p50.toFixed(1).padStart(6)} ms   ` +
      `p99 ${p99.toFixed(1).padStart(6)} ms   ${cpu.toFixed(0).padStart(5)} us CPU/request`,
  );
}

pinSelf(1);
await using servers = await startDurableServers(process.env);
await makeEventStream(servers.natsUrl);
if (count) {
  const within = await printCounts(servers);
  await servers[Symbol.asyncDispose]();
  process.exit(within ? 0 : 1);
}
const provider = createServer((request, response) => {
  request.resume().once('end', () => {
    const answer = texts === 'same' ? chatAnswer : withNewTexts(chatAnswer);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) });
    response.end(answer);
  });
});
provider.listen(0, '127.0.0.1');
await once(provider, 'listening');
const upstream = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;

const bare = await startPinned(`${import.meta.dirname}/bare-proxy.ts`, { UPSTREAM_URL: upstream });
const proxy = await startProxy(servers, upstream, {
  flags: profile ? ['--cpu-prof', `--cpu-prof-dir=${resolve(profile)}`] : [],
});
const other = against === '' ? null : await startProxy(servers, upstream, { checkout: resolve(against) });
const toUrl = ({ url }: { url: string }) => `${url}/openai/v1/chat/completions`;
const ours = { child: proxy.child, url: toUrl(proxy) };
const targets = [
  { name: 'bare', child: bare.child, url: `${bare.url}/v1/chat/completions` },
  { name: 'proxy', ...ours },
  { name: 'proxy, new texts', ...ours, saying: 'new' as const },
  ...(other ? [{ name: 'the other proxy', child: other.child, url: toUrl(other) }] : []),
].map((target) => ({ ...target, results: [] as Round[] }));
console.log(describeMachine());
console.log(
  `${rounds} rounds of ${seconds} s each, ${connections} connections${canPin ? '' : ', not pinned to cores'}`,
);
// Warm up until the compilers are done with both; the proxy has more code.
for (const target of [...targets, ...targets, ...targets]) await measure(target);
for (let round = 0; round < rounds; round += 1) {
  for (const target of targets) target.results.push(await measure(target));
}
const medians = targets.map(({ results }) =>
  medianOfEach(results, ['requests', 'requestsPerSecond', 'p50', 'p99', 'cpu']),
);
for (const [index, { name }] of targets.entries()) printRow(name, medians[index] as Round);
const [bareMedian, proxyMedian] = medians as [Round, Round];
console.log(
  `ratio            ${(proxyMedian.requestsPerSecond / bareMedian.requestsPerSecond).toFixed(2)} of the requests/s, ` +
    `${(proxyMedian.cpu / bareMedian.cpu).toFixed(2)} times the CPU per request`,
);

// What the proxy has sent so far is recorded first: a writer with a backlog works in fuller batches.
const [writer, management] = [
  await startService('writer', servers, null),
  await startService('management', servers, null),
];
const connection = await connectBus({ url: servers.natsUrl, name: 'proxy-bench' });
await waitUntilRecorded(connection);
const readUsage = watchProduct({ proxy: [proxy.child], writer: [writer.child], management: [management.child] });
const usages: Usage[] = [];
// The first round is for the compilers.
for (let round = 0; round <= rounds; round += 1) {
  const before = readUsage();
  const { requests } = await measure(ours);
  await waitUntilRecorded(connection);
  if (round > 0) usages.push(usagePerRequest(before, readUsage(), requests));
}
const usage = medianOfEach(usages, Object.keys(usages[0] ?? {}));
console.log(`whole product, until all is recorded, CPU a request: ${describeUsage(usage)}`);
await connection.close();
await stopAll([bare, proxy, writer, management, ...(other ? [other] : [])]);
provider.close();
