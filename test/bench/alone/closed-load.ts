import { once } from 'node:events';
import { Agent, request } from 'node:http';

/*
 * A load that waits for its answers, a process of its own: as many callers as connections, each of which sends its next request once it
 * has the answer to the last. Runs the slices that its parent sends, one at a time.
 */

export interface ClosedSlice {
  url: string;
  headers: Record<string, string>;
  body: string;
  connections: number;
  seconds: number;
  /** Each caller names one of so many agents. */
  agents: number;
}

/** What it saw: of each request milliseconds from its first byte out to its last byte in. Rejects unless all are answered with 200. */
async function run({ url, headers, body, connections, seconds, agents }: ClosedSlice): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const times: number[] = [];
  const end = performance.now() + seconds * 1_000;
  const call = async (caller: number) => {
    const options = { agent, method: 'POST', headers: { ...headers, 'x-agent-name': `bench-${caller % agents}` } };
    while (performance.now() < end) {
      const began = performance.now();
      const sent = request(url, options).end(body);
      const [response] = await once(sent, 'response');
      response.resume();
      await once(response, 'end');
      if (response.statusCode !== 200) throw new Error(`${url} answered with ${response.statusCode}`);
      times.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, caller) => call(caller)));
  agent.destroy();
  return times;
}

process.on('message', (slice: ClosedSlice) => void run(slice).then((times) => process.send?.(times)));
process.once('disconnect', () => process.exit(0));
process.send?.({ ready: true, url: '' });
