import type { Holder } from '@agp/runtime/fairness';
import { createOffload } from '../text/offload.ts';
import { detach, listOwned, sizeOf, type TextSource, withoutBeside } from '../text-source.ts';
import type { CountRequest } from './token-worker.ts';

export interface TokenEstimator {
  /** Counts by the tokenizer nearest to the model's; a quarter of the size if that takes too long. Never rejects. */
  countTokens(text: TextSource, model: string, holder: Holder): Promise<number>;
  stop(): Promise<void>;
}

export interface TokenEstimatorOptions {
  /** A count that takes longer is estimated by size, in milliseconds. */
  timeoutMs?: number;
  maxPending?: number;
  maxCounted?: number;
  onWorkerError?: ((error: Error) => void) | undefined;
}

/** The size of the texts that may wait for the worker, in bytes; an agent has a quarter. */
const maxPendingBytes = 160 * 1024 * 1024;

function estimateBySize(size: number): number {
  return Math.ceil(size / 4);
}

export function createTokenEstimator(options: TokenEstimatorOptions = {}): TokenEstimator {
  const { timeoutMs = 10_000, maxPending = 400, maxCounted = 256 * 1024, onWorkerError } = options;
  const script = new URL('./token-worker.ts', import.meta.url);
  const offload = createOffload<CountRequest, number>(script, {
    timeoutMs,
    maxPending,
    maxPendingBytes,
    *prepare(request) {
      const source = yield* detach(request.source);
      return { content: { ...request, source }, owned: listOwned(source) };
    },
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
