import { once } from 'node:events';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';

const atOnce = 100;
const endless = '1000000';
/** Each chunk of the bench's provider has one, in front of its time. */
const stampSign = '@'.charCodeAt(0);

const body = JSON.stringify({
  model: 'gpt-4o-mini',
  messages: [{ role: 'user', content: 'Summarise the minutes of the meeting in three points. '.repeat(10) }],
  stream: true,
});

/** Streams that run until they are disposed of, and a count of the chunks that came. */
export class OpenStreams implements Disposable {
  chunks = 0;
  readonly #url: string;
  readonly #agents: number;
  readonly #pause: Record<string, string>;
  readonly #agent = new Agent();
  readonly #requests: ClientRequest[] = [];
  #failure: Error | undefined;
  #disposed = false;

  /**
   * @param agents how many names the streams are opened under
   * @param pauseMs between two chunks; as the provider does by itself if not given
   */
  constructor(url: string, { agents = 1, pauseMs }: { agents?: number; pauseMs?: number } = {}) {
    this.#url = url;
    this.#agents = agents;
    this.#pause = pauseMs === undefined ? {} : { 'x-bench-pause-ms': String(pauseMs) };
  }

  /** Opens some more. Resolves when each has answered; rejects when one was refused, or has ended before. */
  async open(count: number): Promise<void> {
    for (let opened = 0; opened < count; opened += atOnce) {
      await Promise.all(Array.from({ length: Math.min(atOnce, count - opened) }, () => this.#openOne()));
    }
    this.check();
  }

  /** Throws when one has ended. */
  check(): void {
    if (this.#failure) throw this.#failure;
  }

  async #openOne(): Promise<void> {
    const number = this.#requests.length % this.#agents;
    const name = number === 0 ? 'bench' : `bench-${number}`;
    const headers = {
      'content-type': 'application/json',
      'x-bench-chunks': endless,
      'x-agent-name': name,
      ...this.#pause,
    };
    const sent = request(this.#url, { method: 'POST', agent: this.#agent, headers });
    this.#requests.push(sent);
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`);
    response.on('data', (bytes: Buffer) => {
      for (const byte of bytes) if (byte === stampSign) this.chunks += 1;
    });
    response.once('close', () => {
      if (!this.#disposed) this.#failure = new Error('a stream has ended');
    });
    for (const part of [sent, response]) part.on('error', () => undefined);
  }

  [Symbol.dispose](): void {
    this.#disposed = true;
    for (const sent of this.#requests) sent.destroy();
    this.#agent.destroy();
  }
}

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
