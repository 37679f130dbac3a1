import type { Holder } from '@agp/runtime/fairness';
import { createOffload } from '../text/offload.ts';
import { detach, sizeOf, type TextSource, withoutBeside } from '../text/text-source.ts';
import type { CountRequest } from './token-worker.ts';

/** Counts tokens where the provider gave no figures. */
export interface TokenEstimator {
  /**
   * Tokens of a text, read and counted off the event loop by the tokenizer nearest to the model's.
   * Falls back to a quarter of its size when that takes too long. Never rejects.
   *
   * @param holder whose turn it takes
   */
  countTokens(text: TextSource, model: string, holder: Holder): Promise<number>;
  /** Ends the worker; counts that still run get the cheap estimate. */
  stop(): Promise<void>;
}

/** Bounds of the work that estimates may make, and who hears of its failures. */
export interface TokenEstimatorOptions {
  /** A count that takes longer is estimated by size, in milliseconds. */
  timeoutMs?: number;
  /** At most this many counts run or wait, a quarter of them for one agent; further texts are estimated by size. */
  maxPending?: number;
  /** Of a longer text this many UTF-16 units are counted, and the rest is taken to be like them. */
  maxCounted?: number;
  /** Called when a worker broke; counts then fall back to the estimate by size. */
  onWorkerError?: ((error: Error) => void) | undefined;
}

/** The size of the texts that may wait for the worker, in bytes; an agent has a quarter. */
const maxPendingBytes = 160 * 1024 * 1024;

/** About right for English; the fallback must cost nothing. */
function estimateBySize(size: number): number {
  return Math.ceil(size / 4);
}

/** Makes an estimator with a worker thread of its own, which is started by the first count. */
export function createTokenEstimator(options: TokenEstimatorOptions = {}): TokenEstimator {
  const { timeoutMs = 10_000, maxPending = 400, maxCounted = 256 * 1024, onWorkerError } = options;
  const script = new URL('./token-worker.ts', import.meta.url);
  const offload = createOffload<CountRequest, number>(script, {
    timeoutMs,
    maxPending,
    maxPendingBytes,
    prepare: (request) => ({ ...request, source: detach(request.source) }),
    onWorkerError,
  });
  return {
    async countTokens(source, model, holder) {
      const size = sizeOf(source);
      if (size === 0) return 0;
      try {
        return await offload.ask({ source: withoutBeside(source), model, maxCounted }, size, holder);
      } catch {
        return estimateBySize(size);
      }
    },
    stop: () => offload.stop(),
  };
}
