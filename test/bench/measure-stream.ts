import { once } from 'node:events';
import { type Agent, type IncomingMessage, request } from 'node:http';

/** When a stream's chunks came, in milliseconds. */
export interface StreamTimes {
  /** From the request's last byte to the first chunk. */
  first: number;
  /** From one chunk to the next. */
  between: number[];
  /** Of each chunk, from the provider's write to its arrival. */
  onTheWay: number[];
}

export interface StreamCall {
  url: string;
  headers: Record<string, string>;
  body: string;
}

const toMs = (nanoseconds: bigint) => Number(nanoseconds) / 1e6;

/** Reads one stream of stamped chunks. Rejects when it is not whole. */
export async function measureStream(agent: Agent, call: StreamCall, chunks: number): Promise<StreamTimes> {
  const headers = { 'content-type': 'application/json', 'x-bench-chunks': String(chunks), ...call.headers };
  const sent = request(call.url, { method: 'POST', agent, headers });
  const asked = process.hrtime.bigint();
  sent.end(call.body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const arrivals: { written: bigint; arrived: bigint }[] = [];
  // A stamp may be cut in two where chunks arrive together.
  let rest = '';
  response.on('data', (bytes: Buffer) => {
    const arrived = process.hrtime.bigint();
    const text = rest + bytes.toString('latin1');
    let end = 0;
    for (const stamp of text.matchAll(/@(\d+) /g)) {
      arrivals.push({ written: BigInt(stamp[1] as string), arrived });
      end = stamp.index + stamp[0].length;
    }
    rest = text.slice(end).slice(-64);
  });
  await once(response, 'end');
  const [opening] = arrivals;
  if (response.statusCode !== 200 || arrivals.length !== chunks || !opening) {
    throw new Error(`status ${response.statusCode}, ${arrivals.length} of ${chunks} chunks`);
  }
  return {
    first: toMs(opening.arrived - asked),
    between: arrivals.slice(1).map(({ arrived }, index) => toMs(arrived - (arrivals[index]?.arrived ?? arrived))),
    onTheWay: arrivals.map(({ written, arrived }) => toMs(arrived - written)),
  };
}
