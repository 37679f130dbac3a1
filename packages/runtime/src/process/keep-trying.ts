import { setTimeout as sleep } from 'node:timers/promises';

/** Work that was waited for took too long. */
export class TimeoutError extends Error {}

/** Rejects with {@link TimeoutError} after so many milliseconds; the work goes on, but nobody waits for it. */
export async function withTimeout<Value>(work: Promise<Value>, ms: number, message = 'too late'): Promise<Value> {
  const late = Promise.withResolvers<never>();
  // One turn later, so that an answer which arrived while this process stalled still counts.
  const timer = setTimeout(() => setImmediate(() => late.reject(new TimeoutError(message))), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

const firstPauseMs = 100;
const longestPauseMs = 5_000;

interface KeepTryingOptions {
  signal?: AbortSignal;
  onFailure: (error: unknown) => void;
  isFinal?: (error: unknown) => boolean;
}

/** Tries until it works, with growing pauses. Rejects with the failure if it is final or `signal` has fired. */
export async function keepTrying<T>(attempt: () => Promise<T>, options: KeepTryingOptions): Promise<T> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await attempt();
    } catch (error) {
      if (options.isFinal?.(error) || options.signal?.aborted) throw error;
      options.onFailure(error);
      // Random, so that processes that failed together do not retry together.
      const { signal } = options;
      await sleep(pauseMs * (0.5 + Math.random() / 2), undefined, signal ? { signal } : {});
    }
  }
}

/** How long an end waits for the running turn, in milliseconds. */
const endWithinMs = 1_000;

/**
 * Repeats work, one turn at a time: none begins while another runs. A failure is reported, and the next turn comes all the same.
 * @param work is told by the signal that it ends
 * @returns what ends it, after a moment for the running turn
 */
export function every(
  ms: number,
  work: (ending: AbortSignal) => unknown,
  onFailure: (error: Error) => void = () => {},
): () => Promise<void> {
  const ending = new AbortController();
  let running: Promise<void> | null = null;
  const turn = async () => {
    await Promise.resolve(ending.signal).then(work).catch(onFailure);
    running = null;
  };
  const timer = setInterval(() => {
    running ??= turn();
  }, ms).unref();
  return async () => {
    clearInterval(timer);
    ending.abort();
    if (running) await withTimeout(running, endWithinMs).catch(() => {});
  };
}

interface KeepReadingOptions<Reading> {
  read(): Promise<Reading>;
  show(reading: Reading): void;
  everyMs?: number;
  firstEveryMs?: number;
}

/** Reads a value periodically, one reading at a time, for gauges that cost a query. Returns what ends it, after a running one. */
export function keepReading<Reading>(options: KeepReadingOptions<Reading>): () => Promise<void> {
  let stopped = false;
  let wasRead = false;
  let timer: NodeJS.Timeout | undefined;
  const readOnce = async (): Promise<void> => {
    try {
      options.show(await options.read());
      wasRead = true;
    } catch {
      // The gauge is missing or does not move, which an alert sees.
    }
    if (stopped) return;
    const pauseMs = wasRead ? (options.everyMs ?? 60_000) : (options.firstEveryMs ?? 2_000);
    timer = setTimeout(() => {
      reading = readOnce();
    }, pauseMs);
  };
  let reading = readOnce();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await reading;
  };
}
