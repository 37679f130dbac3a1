/**
 * What the proxy adds to a stream: time to the first chunk, between chunks, and from the provider's write to the agent,
 * through the proxy beside direct, by turns. The provider is a process of its own; the proxy has a core for itself.
 * Medians and 95th percentiles of each round; the medians of the rounds are compared.
 */
import { once } from 'node:events';
import { Agent } from 'node:http';
import { startDurableServers } from '@agp/testing/servers';
import { makeEventStream } from '../system/make-event-stream.ts';
import { measureStream, type StreamCall, type StreamTimes } from './open-streams.ts';
import { benchKey, canPin, pinSelf, startPinned, startProxy, startService } from './processes.ts';
import { readArguments } from './read-arguments.ts';

const { rounds, chunks } = readArguments('bench:stream', { rounds: 5, chunks: 1_000 });
/** A stream has one first chunk: short ones are read for it as well. */
const shortStreams = 40;
const shortChunks = 3;

const question = 'Summarise the minutes of the meeting in three points. '.repeat(10);
const messages = [{ role: 'user', content: question }];
const chat = { model: 'gpt-4o-mini', messages, stream: true };
const apis = [
  { name: 'openai chat', path: '/openai/v1/chat/completions', body: chat },
  {
    name: 'openai chat, usage asked for',
    path: '/openai/v1/chat/completions',
    body: { ...chat, stream_options: { include_usage: true } },
  },
  {
    name: 'anthropic messages',
    path: '/anthropic/v1/messages',
    body: { model: 'claude-haiku-4-5', max_tokens: 1_000, messages, stream: true },
  },
  {
    name: 'gemini streamGenerateContent',
    path: '/gemini/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
    body: { contents: [{ parts: [{ text: question }] }] },
  },
];

/** Milliseconds. */
interface Figures {
  p50: number;
  p95: number;
}
const measures = ['first', 'between', 'onTheWay'] as const;
type Round = Record<(typeof measures)[number], Figures>;

function at(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
}

const summarise = (values: readonly number[]): Figures => ({ p50: at(values, 0.5), p95: at(values, 0.95) });

async function runRound(agent: Agent, call: StreamCall): Promise<Round> {
  const short: StreamTimes[] = [];
  for (let index = 0; index < shortStreams; index += 1) short.push(await measureStream(agent, call, shortChunks));
  const long = await measureStream(agent, call, chunks);
  return {
    first: summarise([...short, long].map(({ first }) => first)),
    between: summarise(long.between),
    onTheWay: summarise(long.onTheWay),
  };
}

function medianOf(results: Round[], measure: keyof Round): Figures {
  return {
    p50: at(
      results.map((round) => round[measure].p50),
      0.5,
    ),
    p95: at(
      results.map((round) => round[measure].p95),
      0.5,
    ),
  };
}

const titles = { first: 'first chunk', between: 'between chunks', onTheWay: 'write to arrival' };

function printApi(name: string, direct: Round[], proxied: Round[]): void {
  console.log(name);
  for (const measure of measures) {
    const [bare, proxy] = [medianOf(direct, measure), medianOf(proxied, measure)];
    const show = ({ p50, p95 }: Figures) => `p50 ${p50.toFixed(3).padStart(6)}  p95 ${p95.toFixed(3).padStart(6)} ms`;
    console.log(
      `  ${titles[measure].padEnd(17)} direct ${show(bare)}   proxy ${show(proxy)}   ` +
        `added ${(proxy.p50 - bare.p50).toFixed(3).padStart(6)} ms at the median, ratio ${(proxy.p50 / bare.p50).toFixed(2)}`,
    );
  }
}

pinSelf(1);
await using servers = await startDurableServers(process.env);
await makeEventStream(servers.natsUrl);
const provider = await startPinned(`${import.meta.dirname}/stream-provider.ts`, {}, 1);
const proxy = await startProxy(servers, provider.url);
const agent = new Agent({ keepAlive: true });
const management = await startService('management', servers, 1);
/** What the texts of an answer are searched for, by the agent that calls. */
const rules = {
  bench: null,
  'bench-email': { response: { email: 'redact' } },
  'bench-all': { response: { all: 'redact' } },
};
for (const [name, pii] of Object.entries(rules)) {
  const body = JSON.stringify({ name, mode: 'enforce', match: { agents: [name] }, pii });
  const headers = { authorization: `Bearer ${benchKey}`, 'content-type': 'application/json' };
  if (pii) await fetch(`${management.url}/api/v1/policies`, { method: 'POST', headers, body });
}
const calls = apis.flatMap((api, at) =>
  Object.keys(rules).flatMap((agent) => (at === 0 || agent === 'bench' ? [{ ...api, agent }] : [])),
);
const runs = calls.map(({ name, path, body, agent: caller }) => {
  const text = JSON.stringify(body);
  return {
    name: caller === 'bench' ? name : `${name}, ${caller.slice('bench-'.length)} redacted`,
    direct: { url: `${provider.url}${path.replace(/^\/\w+/, '')}`, headers: {}, body: text },
    proxied: { url: `${proxy.url}${path}`, headers: { 'x-agent-name': caller }, body: text },
    results: { direct: [] as Round[], proxied: [] as Round[] },
  };
});
console.log(`${rounds} rounds of ${chunks} chunks${canPin ? '' : ', not pinned to cores'}, all on one machine`);
// The first round is for the compilers.
for (let round = 0; round <= rounds; round += 1) {
  for (const { direct, proxied, results } of runs) {
    const [bare, through] = [await runRound(agent, direct), await runRound(agent, proxied)];
    if (round === 0) continue;
    results.direct.push(bare);
    results.proxied.push(through);
  }
}
for (const { name, results } of runs) printApi(name, results.direct, results.proxied);
agent.destroy();
management.child.kill('SIGTERM');
const gone = [proxy, provider, management].map(({ child }) => once(child, 'exit'));
proxy.child.kill('SIGTERM');
provider.child.disconnect();
await Promise.all(gone);
