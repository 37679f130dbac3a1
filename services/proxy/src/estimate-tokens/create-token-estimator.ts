import { Worker } from 'node:worker_threads';
import type { TokenEstimator } from './token-estimator.ts';
import type { CountAnswer, CountRequest } from './token-worker.ts';

/** Bounds of the work that estimates may make, and who hears of its failures. */
export interface TokenEstimatorOptions {
  /** A count that takes longer is estimated by length, in milliseconds. */
  timeoutMs?: number;
  /** Counts that run or wait; beyond this, they are estimated by length. */
  maxPending?: number;
  /** Of a longer text this many UTF-16 units are counted, and the rest is taken to be like them. */
  maxCounted?: number;
  /** Told why a worker broke; counts then fall back to the estimate by length. */
  onWorkerError?: (error: Error) => void;
}

/** About right for English; the fallback must cost nothing. */
function estimateByLength(length: number): number {
  return Math.ceil(length / 4);
}

/** Beginning and end, since a conversation's two ends are the least alike. */
function sample(text: string, size: number): string {
  return text.slice(0, size / 2) + text.slice(-size / 2);
}

interface Count {
  finish(tokens: number): void;
  giveUp(): void;
}

/**
 * Makes an estimator with a worker thread of its own, which is started by the first count and does not keep the
 * process alive. A worker that does not answer in time is replaced.
 */
export function createTokenEstimator(options: TokenEstimatorOptions = {}): TokenEstimator {
  const { timeoutMs = 3_000, maxPending = 100, maxCounted = 256 * 1024, onWorkerError } = options;
  const pending = new Map<number, Count>();
  let worker: Worker | null = null;
  let nextId = 0;
  let stopped = false;

  function startWorker(): Worker {
    const started = new Worker(new URL('./token-worker.ts', import.meta.url), { execArgv: [] });
    started.on('message', ({ id, tokens }: CountAnswer) => pending.get(id)?.finish(tokens));
    started.on('error', (error: Error) => {
      onWorkerError?.(error);
      void dropWorker(started);
    });
    started.on('exit', () => void dropWorker(started));
    // Last: listening for messages makes the process wait for the worker again.
    started.unref();
    return started;
  }

  function dropWorker(dropped: Worker): Promise<number> | null {
    if (worker !== dropped) return null;
    worker = null;
    for (const count of pending.values()) count.giveUp();
    return dropped.terminate();
  }

  return {
    countTokens(text, model) {
      const fallback = estimateByLength(text.length);
      if (text === '' || stopped || pending.size >= maxPending) return Promise.resolve(fallback);
      worker ??= startWorker();
      const asked = worker;
      const counted = text.length > maxCounted ? sample(text, maxCounted) : text;
      const { promise, resolve } = Promise.withResolvers<number>();
      const id = nextId++;
      const timer = setTimeout(() => void dropWorker(asked), timeoutMs);
      const settle = (tokens: number) => {
        clearTimeout(timer);
        pending.delete(id);
        resolve(tokens);
      };
      pending.set(id, {
        finish: (tokens) => settle(Math.ceil((tokens * text.length) / counted.length)),
        giveUp: () => settle(fallback),
      });
      asked.postMessage({ id, text: counted, model } satisfies CountRequest);
      return promise;
    },
    async stop() {
      stopped = true;
      if (worker) await dropWorker(worker);
    },
  };
}
