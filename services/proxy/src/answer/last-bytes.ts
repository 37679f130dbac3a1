import type { ServerResponse } from 'node:http';
import type { Exchange } from '../exchange.ts';

/** How long the last bytes of a stopped stream may take to leave, in milliseconds. */
export const lastWordsMs = 5_000;

export function cutOff({ request }: Exchange): void {
  // A response has a socket only while it is its turn on the connection.
  const { socket } = request;
  const patience = setTimeout(() => socket.destroy(), lastWordsMs);
  socket.once('close', () => clearTimeout(patience)).destroySoon();
}

/** An agent that does not read the last bytes must not keep its event and its reservation open. */
export function waitForAgent(response: ServerResponse, patienceMs: number): void {
  const patience = setTimeout(() => response.destroy(), patienceMs);
  response.once('close', () => clearTimeout(patience));
}

/** In milliseconds: some providers keep a stream open that has ended, and counting tokens may wait its turn. */
const longestMs = 1_000;

/** Goes on once work has ended, or agents have waited long enough; what fails here fails again when the call is measured. */
export function goOnAfter(work: Promise<unknown>, goOn: () => void): void {
  const { promise, resolve } = Promise.withResolvers<void>();
  const patience = setTimeout(resolve, longestMs);
  work.then(resolve as () => void, () => resolve());
  void promise.then(() => {
    clearTimeout(patience);
    goOn();
  });
}

/**
 * Keeps the end of an answer from the agent until all proxies count its cost: agents send their next request upon it.
 *
 *   passing --last frame or byte came--> keeping --the cost is counted, the stream goes on, or a second is over--> passing
 */
export class LastBytes {
  readonly #pass: (kept: Buffer) => void;
  /** Of the length that the answer declares; NaN if it declares none. */
  #left: number;
  #kept: Buffer[] = [];
  #patience: NodeJS.Timeout | null = null;
  #isOver = false;

  /** @param length `Content-Length` @param pass writes what was kept for too long */
  constructor(length: string | undefined, pass: (kept: Buffer) => void) {
    this.#left = Number(length);
    this.#pass = pass;
  }

  /** @param passed what of the chunk the agent may have @returns what of it, and of those before, may go out by now */
  push(chunk: Buffer, passed: Buffer, sawEnd: boolean): Buffer {
    this.#left -= chunk.length;
    if (this.#isOver || !(sawEnd || this.#left <= 0)) {
      return this.#kept.length === 0 ? passed : Buffer.concat([this.take(), passed]);
    }
    this.#patience ??= setTimeout(() => {
      this.#isOver = true;
      this.#pass(this.take());
    }, longestMs);
    // The memory of a chunk may be used again.
    this.#kept.push(Buffer.from(passed));
    return Buffer.alloc(0);
  }

  /** What is kept, from then on no more. */
  take(): Buffer {
    if (this.#patience !== null) clearTimeout(this.#patience);
    this.#patience = null;
    const kept = this.#kept;
    this.#kept = [];
    return Buffer.concat(kept);
  }
}
