import { setTimeout as sleep } from 'node:timers/promises';

const firstPauseMs = 100;
const longestPauseMs = 5_000;

interface KeepTryingOptions {
  /** Ends it; without a signal it may go on for ever. */
  signal?: AbortSignal;
  /** Called for each failure that is tried again. */
  onFailure: (error: unknown) => void;
  /** True for failures that another try cannot cure. */
  isFinal?: (error: unknown) => boolean;
}

/** Tries until it works, with growing pauses. @throws the failure, if it is final or `signal` has fired */
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

interface KeepReadingOptions<Reading> {
  /** May reject: the last reading then stays. */
  read(): Promise<Reading>;
  show(reading: Reading): void;
  /** In milliseconds; default a minute. */
  everyMs?: number;
  /** The pause until the first success, in milliseconds. */
  firstEveryMs?: number;
}

/** Reads a value periodically, for gauges that cost a query. One reading at a time. @returns ends it, after a running one */
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
