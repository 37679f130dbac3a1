import { setTimeout } from 'node:timers/promises';

const firstPauseMs = 100;
const longestPauseMs = 5_000;

export interface KeepTryingOptions {
  /** Ends the pauses, and the trying; without it, it may go on for ever. */
  signal?: AbortSignal;
  /** Told of each failure that is tried again. */
  onFailure: (error: unknown) => void;
  /** Failures that trying again cannot cure. */
  isFinal?: (error: unknown) => boolean;
}

/**
 * Tries until it works, with growing pauses.
 *
 * @throws the failure, when it is final or when `signal` has fired
 */
export async function keepTrying<T>(attempt: () => Promise<T>, options: KeepTryingOptions): Promise<T> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await attempt();
    } catch (error) {
      if (options.isFinal?.(error) || options.signal?.aborted) throw error;
      options.onFailure(error);
      // Those that failed together must not come back together.
      const { signal } = options;
      await setTimeout(pauseMs * (0.5 + Math.random() / 2), undefined, signal ? { signal } : {});
    }
  }
}
