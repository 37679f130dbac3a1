import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Agent } from 'undici';
import { makeRandom } from '../../soak/make-random.ts';
import { type Answer, drawMoments, type Slice, type SliceTimes, watchAnswer } from './load.ts';

/*
 * The load of `npm run bench:latency`, a process of its own: sends each request at its moment, however many are unanswered, each on a
 * connection that no other uses meanwhile. Runs the slices that its parent sends, one at a time.
 */

const agent = new Agent({ connections: null, headersTimeout: 60_000, bodyTimeout: 60_000 });
/** Until the thread that keeps the time has started. */
const leadMs = 200;

const toMs = (nanoseconds: bigint) => Number(nanoseconds) / 1e6;

function findFailure(answer: Answer | Error, { chunks = 0 }: Slice): string | null {
  if (answer instanceof Error) return answer.message;
  if (answer.status !== 200) return `status ${answer.status}`;
  return answer.chunks.length === chunks ? null : `${answer.chunks.length} chunks`;
}

async function run(slice: Slice): Promise<SliceTimes> {
  const targets = slice.urls.map((url) => new URL(url));
  const random = makeRandom(slice.seed);
  const moments = drawMoments(slice, random);
  const names = moments.map(() => `bench-${Math.floor(random.between(0, slice.agents))}`);
  const times: SliceTimes = { whole: [], late: [], first: [], between: [], onTheWay: [], failures: [] };
  const start = process.hrtime.bigint() + BigInt(leadMs * 1e6);
  const dueAt = (index: number) => start + BigInt(Math.round((moments[index] as number) * 1e6));
  const streamHeaders = slice.chunks === undefined ? {} : { 'x-bench-chunks': String(slice.chunks) };
  const note = (due: bigint, answer: Answer | Error) => {
    const failure = findFailure(answer, slice);
    if (answer instanceof Error || failure !== null) {
      times.failures.push(failure ?? '');
      return;
    }
    const { ended, chunks } = answer;
    times.whole.push(toMs(ended - due));
    for (const [index, { written, arrived }] of chunks.entries()) {
      times.onTheWay.push(toMs(arrived - written));
      const before = chunks[index - 1];
      if (before) times.between.push(toMs(arrived - before.arrived));
      else times.first.push(toMs(arrived - due));
    }
  };
  const answered = Promise.withResolvers<void>();
  let left = moments.length;
  const send = (index: number) => {
    const due = dueAt(index);
    const handler = watchAnswer(slice.chunks !== undefined, (answer) => {
      note(due, answer);
      left -= 1;
      if (left === 0) answered.resolve();
    });
    const headers = { ...slice.headers, ...streamHeaders, 'x-agent-name': names[index] as string };
    const { origin, pathname, search } = targets[index % targets.length] as URL;
    agent.dispatch({ origin, path: pathname + search, method: 'POST', headers, body: slice.body }, handler);
    times.late.push(toMs(process.hrtime.bigint() - due));
  };
  if (left === 0) return times;
  const clock = new Worker(`${import.meta.dirname}/keep-time.ts`, { workerData: { start, moments } });
  clock.on('message', send);
  await Promise.all([answered.promise, once(clock, 'exit')]);
  return times;
}

process.on('message', (slice: Slice) => void run(slice).then((times) => process.send?.(times)));
process.once('disconnect', () => process.exit(0));
process.send?.({ ready: true, url: '' });
