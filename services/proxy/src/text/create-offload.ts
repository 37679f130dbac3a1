import { Worker } from 'node:worker_threads';

/** Why a question has no answer: too much was waiting, it took too long, or the worker broke. */
export type GaveUp = 'busy' | 'slow' | 'broken';

/** Thrown in place of an answer. */
export class OffloadError extends Error {
  readonly code: GaveUp;

  constructor(code: GaveUp) {
    super(`the worker was ${code}`);
    this.code = code;
  }
}

/** Bounds of what is asked of a worker, and who hears of its failures. */
export interface OffloadOptions {
  /** A question that is not answered in this time ends the worker, in milliseconds. */
  timeoutMs: number;
  /** Questions that run or wait; beyond this, they are refused. */
  maxPending: number;
  /** The size of all of them, in bytes. */
  maxPendingBytes: number;
  onWorkerError?: ((error: Error) => void) | undefined;
}

/** Work that would hold up the event loop, in a worker thread. */
export interface Offload<Question, Answer> {
  /**
   * @param size of the question, in bytes
   * @throws OffloadError where it was given up
   */
  ask(question: Question, size: number): Promise<Answer>;
  /** Ends the worker; questions that still run are given up. */
  stop(): Promise<void>;
}

export interface Numbered<Content> {
  id: number;
  content: Content;
}

interface Pending<Answer> {
  size: number;
  settle(result: { answer: Answer } | { gaveUp: GaveUp }): void;
}

/**
 * Makes a worker that is started by the first question and does not keep the process alive. One that does not answer in
 * time is replaced, together with all that it was asked.
 */
export function createOffload<Question, Answer>(script: URL, options: OffloadOptions): Offload<Question, Answer> {
  const { timeoutMs, maxPending, maxPendingBytes, onWorkerError } = options;
  const pending = new Map<number, Pending<Answer>>();
  let pendingBytes = 0;
  let worker: Worker | null = null;
  let nextId = 0;
  let stopped = false;

  function startWorker(): Worker {
    const started = new Worker(script, { execArgv: [] });
    started.on('message', ({ id, content }: Numbered<Answer>) => pending.get(id)?.settle({ answer: content }));
    started.on('error', (error: Error) => {
      onWorkerError?.(error);
      void dropWorker(started, 'broken');
    });
    started.on('exit', () => void dropWorker(started, 'broken'));
    // Last: listening for messages makes the process wait for the worker again.
    started.unref();
    return started;
  }

  function dropWorker(dropped: Worker, reason: GaveUp): Promise<number> | null {
    if (worker !== dropped) return null;
    worker = null;
    for (const { settle } of pending.values()) settle({ gaveUp: reason });
    return dropped.terminate();
  }

  return {
    async ask(question, size) {
      if (stopped || pending.size >= maxPending || pendingBytes + size > maxPendingBytes)
        throw new OffloadError('busy');
      worker ??= startWorker();
      const asked = worker;
      const id = nextId++;
      const { promise, resolve, reject } = Promise.withResolvers<Answer>();
      const timer = setTimeout(() => void dropWorker(asked, 'slow'), timeoutMs);
      pendingBytes += size;
      pending.set(id, {
        size,
        settle: (result) => {
          clearTimeout(timer);
          pending.delete(id);
          pendingBytes -= size;
          if ('answer' in result) resolve(result.answer);
          else reject(new OffloadError(result.gaveUp));
        },
      });
      asked.postMessage({ id, content: question } satisfies Numbered<Question>);
      return promise;
    },
    async stop() {
      stopped = true;
      if (worker) await dropWorker(worker, 'broken');
    },
  };
}
