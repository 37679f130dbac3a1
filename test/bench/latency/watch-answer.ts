import type { Dispatcher } from 'undici';

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
