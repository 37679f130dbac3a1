import { once } from 'node:events';
import { Agent, request } from 'node:http';

/*
 * A load that waits for its answers, a process of its own: callers that each send their next request once they have the answer to the
 * last. Runs the slices that its parent sends, one at a time.
 */

/** Callers alike. */
export interface Callers {
  count: number;
  /** For each request, beside the slice's. */
  headers?: Record<string, string>;
  /** What they are answered; 200 if left out. */
  status?: number;
  /** Whether they are the load beside those that are timed. */
  isUntimed?: boolean;
}

export interface ClosedSlice {
  url: string;
  headers: Record<string, string>;
  body: string;
  callers: Callers[];
  seconds: number;
  /** Each caller names one of so many agents. */
  agents: number;
}

/** Of each timed request, in milliseconds from its first byte out. */
export interface ClosedTimes {
  firstByte: number[];
  lastByte: number[];
  /** Of all callers. */
  requests: number;
}

/** What a target answered that was not expected. */
export interface ClosedFailure {
  failure: string;
}

/** @throws Error unless all are answered as was expected; by then no caller runs */
async function run({ url, headers, body, callers, seconds, agents }: ClosedSlice): Promise<ClosedTimes> {
  const all = callers.flatMap((each) => Array.from({ length: each.count }, () => each));
  const agent = new Agent({ keepAlive: true, maxSockets: all.length });
  const times: ClosedTimes = { firstByte: [], lastByte: [], requests: 0 };
  let end = performance.now() + seconds * 1_000;
  const call = async ({ headers: more, status = 200, isUntimed }: Callers, caller: number) => {
    const told = { ...headers, 'x-agent-name': `bench-${caller % agents}`, ...more };
    while (performance.now() < end) {
      const began = performance.now();
      const sent = request(url, { agent, method: 'POST', headers: told }).end(body);
      const [response] = await once(sent, 'response');
      let firstByte = 0;
      response.on('data', () => {
        firstByte ||= performance.now() - began;
      });
      await once(response, 'end');
      times.requests += 1;
      if (response.statusCode !== status) throw new Error(`${url} answered with ${response.statusCode}, not ${status}`);
      if (isUntimed) continue;
      times.firstByte.push(firstByte);
      times.lastByte.push(performance.now() - began);
    }
  };
  const ended = await Promise.allSettled(
    all.map((each, index) =>
      call(each, index).catch((error: Error) => {
        end = 0;
        throw error;
      }),
    ),
  );
  agent.destroy();
  const failed = ended.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
  return times;
}

process.on('message', (slice: ClosedSlice) => {
  const told = run(slice).catch((error: Error) => ({ failure: error.message }));
  void told.then((result: ClosedTimes | ClosedFailure) => process.send?.(result));
});
process.once('disconnect', () => process.exit(0));
process.send?.({ ready: true, url: '' });
