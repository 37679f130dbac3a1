/**
 * The proxy beside the least that Node can do: a bare node:http server that passes requests on with undici. Both run
 * in turns, in one process each, pinned to one core; the load, the provider and the servers share the other. Medians
 * of the rounds are compared.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startDurableServers } from '@agp/local-stack';
import autocannon from 'autocannon';
import { makeEventStream } from '../system/make-event-stream.ts';
import { chatAnswer, chatRequest } from './chat-call.ts';
import { medianOfEach } from './median.ts';
import { readCpu } from './process-usage.ts';
import { canPin, pinSelf, startPinned } from './start-pinned.ts';
import { startProxy } from './start-proxy.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const seconds = Number(process.env.BENCH_SECONDS ?? 4);
const connections = Number(process.env.BENCH_CONNECTIONS ?? 64);

interface Round {
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
const proxy = await startProxy(servers, upstream);
const targets = [
  { name: 'bare', child: bare.child, url: `${bare.url}/v1/chat/completions`, results: [] as Round[] },
  { name: 'proxy', child: proxy.child, url: `${proxy.url}/openai/v1/chat/completions`, results: [] as Round[] },
];
console.log(
  `${rounds} rounds of ${seconds} s each, ${connections} connections${canPin ? '' : ', not pinned to cores'}`,
);
// Warm up until the compilers are done with both; the proxy has more code.
for (const target of [...targets, ...targets, ...targets]) await measure(target.child, target.url);
for (let round = 0; round < rounds; round += 1) {
  for (const target of targets) target.results.push(await measure(target.child, target.url));
}
const [bareMedian, proxyMedian] = targets.map((target) =>
  medianOfEach(target.results, ['requestsPerSecond', 'p50', 'p99', 'cpu']),
) as [Round, Round];
printRow('bare', bareMedian);
printRow('proxy', proxyMedian);
console.log(
  `ratio    ${(proxyMedian.requestsPerSecond / bareMedian.requestsPerSecond).toFixed(2)} of the requests/s, ` +
    `${(proxyMedian.cpu / bareMedian.cpu).toFixed(2)} times the CPU per request`,
);
const gone = targets.map((target) => once(target.child, 'exit'));
for (const target of targets) target.child.kill('SIGTERM');
await Promise.all(gone);
provider.close();
