import { setTimeout } from 'node:timers/promises';

const firstPauseMs = 100;
const longestPauseMs = 5_000;

export interface KeepTryingOptions {
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
      await setTimeout(pauseMs * (0.5 + Math.random() / 2), undefined, signal ? { signal } : {});
    }
  }
}
