import type { Dispatcher } from 'undici';

/** What the load generator is asked to do: requests at random moments. */
export interface Slice {
  /** They take turns. */
  urls: string[];
  headers: Record<string, string>;
  body: string;
  /** Requests a second, on average. */
  perSecond: number;
  seconds: number;
  /** The same seed gives the same moments and agents. */
  seed: number;
  /** Each request names one of so many agents. */
  agents: number;
  /** Of each answer, where it is a stream. */
  chunks?: number;
}

/** What it saw, in milliseconds, one value a request or a chunk. */
export interface SliceTimes {
  /** From the moment at which a request was to be sent to the last byte of its answer. */
  whole: number[];
  /** From that moment until it was handed to its connection. */
  late: number[];
  /** Streams: from that moment to the first chunk. */
  first: number[];
  /** Streams: from one chunk to the next. */
  between: number[];
  /** Streams: from the provider's write of a chunk to its arrival. */
  onTheWay: number[];
  /** Requests that were not answered with 200 and in full. */
  failures: string[];
}

/** Draws the moments of a slice: random ones, with the same chance in each millisecond. @returns milliseconds from its start, ascending */
export function drawMoments(
  { perSecond, seconds }: Pick<Slice, 'perSecond' | 'seconds'>,
  random: { between(from: number, to: number): number },
): number[] {
  const moments: number[] = [];
  for (let at = 0; ; ) {
    at -= (Math.log(1 - random.between(0, 1)) * 1_000) / perSecond;
    if (at >= seconds * 1_000) return moments;
    moments.push(at);
  }
}

/** What came of a request, on the clock of `process.hrtime`. */
export interface Answer {
  status: number;
  ended: bigint;
  /** Of a stream. */
  chunks: { written: bigint; arrived: bigint }[];
}

/** Reads an answer, and the stamps of its chunks where it is a stream. `done` gets it, or why there is none. */
export function watchAnswer(isStream: boolean, done: (answer: Answer | Error) => void): Dispatcher.DispatchHandler {
  const answer: Answer = { status: 0, ended: 0n, chunks: [] };
  // A stamp may be cut in two where chunks arrive together.
  let rest = '';
  return {
    onRequestStart() {},
    onResponseStart(_controller, status) {
      answer.status = status;
    },
    onResponseData(_controller, bytes) {
      if (!isStream) return;
      const arrived = process.hrtime.bigint();
      const text = rest + bytes.toString('latin1');
      let end = 0;
      for (const stamp of text.matchAll(/@(\d+) /g)) {
        answer.chunks.push({ written: BigInt(stamp[1] as string), arrived });
        end = stamp.index + stamp[0].length;
      }
      rest = text.slice(end).slice(-64);
    },
    onResponseEnd() {
      answer.ended = process.hrtime.bigint();
      done(answer);
    },
    onResponseError(_controller, error) {
      done(error);
    },
  };
}
