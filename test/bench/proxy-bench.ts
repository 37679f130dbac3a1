/**
 * The proxy beside the least that Node can do: a bare node:http server that passes requests on with undici. Both run
 * in turns, in one process each, pinned to one core; the load, the provider and the servers share the other. Medians
 * of the rounds are compared. Then writer and management run too, on that other core, for what the whole product uses.
 * `-- --profile proxy.cpuprofile` profiles the proxy afterwards, and says who blocks its loop.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { connectBus } from '@agp/bus';
import { startDurableServers } from '@agp/local-stack';
import autocannon from 'autocannon';
import { makeEventStream } from '../system/make-event-stream.ts';
import { chatAnswer, chatRequest } from './chat-call.ts';
import { describeMachine } from './describe-machine.ts';
import { medianOfEach } from './median.ts';
import { readCpu } from './process-usage.ts';
import { describeUsage, type Usage, usagePerRequest, watchProduct } from './product/product-usage.ts';
import { waitUntilRecorded } from './product/wait-until-recorded.ts';
import { profileFlags, profileProxy } from './profile/profile-proxy.ts';
import { readArguments } from './read-arguments.ts';
import { canPin, pinSelf, startPinned } from './start-pinned.ts';
import { startProxy } from './start-proxy.ts';
import { startService } from './start-service.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const seconds = Number(process.env.BENCH_SECONDS ?? 4);
const connections = Number(process.env.BENCH_CONNECTIONS ?? 64);

const { profile } = readArguments('bench:proxy', { profile: '' });

interface Round {
  requests: number;
  requestsPerSecond: number;
  p50: number;
  p99: number;
  /** Microseconds of one core per request. */
  cpu: number;
}

async function measure(child: ChildProcess, url: string): Promise<Round> {
  const before = readCpu(child.pid as number);
  const result = await autocannon({
    url,
    method: 'POST',
    connections,
    duration: seconds,
    headers: { 'content-type': 'application/json', authorization: 'Bearer sk-bench', 'x-agent-name': 'bench' },
    body: chatRequest,
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
    `${name.padEnd(8)} ${requestsPerSecond.toFixed(0).padStart(8)} req/s   p50 ${p50.toFixed(1).padStart(6)} ms   ` +
      `p99 ${p99.toFixed(1).padStart(6)} ms   ${cpu.toFixed(0).padStart(5)} us CPU/request`,
  );
}

pinSelf(1);
await using servers = await startDurableServers(process.env);
await makeEventStream(servers.natsUrl);
const provider = createServer((request, response) => {
  request.resume().once('end', () => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(chatAnswer) });
    response.end(chatAnswer);
  });
});
provider.listen(0, '127.0.0.1');
await once(provider, 'listening');
const upstream = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;

const bare = await startPinned(`${import.meta.dirname}/bare-proxy.ts`, { UPSTREAM_URL: upstream });
const proxy = await startProxy(servers, upstream, { flags: profile ? profileFlags : [] });
const targets = [
  { name: 'bare', child: bare.child, url: `${bare.url}/v1/chat/completions`, results: [] as Round[] },
  { name: 'proxy', child: proxy.child, url: `${proxy.url}/openai/v1/chat/completions`, results: [] as Round[] },
];
console.log(describeMachine());
console.log(
  `${rounds} rounds of ${seconds} s each, ${connections} connections${canPin ? '' : ', not pinned to cores'}`,
);
// Warm up until the compilers are done with both; the proxy has more code.
for (const target of [...targets, ...targets, ...targets]) await measure(target.child, target.url);
for (let round = 0; round < rounds; round += 1) {
  for (const target of targets) target.results.push(await measure(target.child, target.url));
}
const [bareMedian, proxyMedian] = targets.map((target) =>
  medianOfEach(target.results, ['requests', 'requestsPerSecond', 'p50', 'p99', 'cpu']),
) as [Round, Round];
printRow('bare', bareMedian);
printRow('proxy', proxyMedian);
console.log(
  `ratio    ${(proxyMedian.requestsPerSecond / bareMedian.requestsPerSecond).toFixed(2)} of the requests/s, ` +
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
const { url } = targets[1] as { url: string };
const usages: Usage[] = [];
// The first round is for the compilers.
for (let round = 0; round <= rounds; round += 1) {
  const before = readUsage();
  const { requests } = await measure(proxy.child, url);
  await waitUntilRecorded(connection);
  if (round > 0) usages.push(usagePerRequest(before, readUsage(), requests));
}
const usage = medianOfEach(usages, Object.keys(usages[0] ?? {}));
console.log(`whole product, until all is recorded, CPU a request: ${describeUsage(usage)}`);
if (profile) {
  const runFullLoad = async () => (await measure(proxy.child, url)).requests;
  await profileProxy({ child: proxy.child, url }, resolve(profile), runFullLoad);
}
await connection.close();
const children = [bare, proxy, writer, management].map(({ child }) => child);
const gone = children.map((child) => once(child, 'exit'));
for (const child of children) child.kill('SIGTERM');
await Promise.all(gone);
provider.close();
