import { Worker } from 'node:worker_threads';

/** Why a question has no answer: too much was waiting, it took too long, or the worker broke or failed at it. */
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
  /** A question that is not answered in this time ends the worker, in milliseconds. The worker's start does not count. */
  timeoutMs: number;
  /** Questions that run or wait; beyond this, they are refused. */
  maxPending: number;
  /** The size of all of them, in bytes. */
  maxPendingBytes: number;
  onWorkerError?: ((error: Error) => void) | undefined;
}

/** A body of very many small values needs more than this when it is parsed: the worker ends then, and not the process. */
const maxOldGenerationSizeMb = 768;

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

/** What a worker says once it can be asked. */
export const ready = 'ready';

/** Starting takes a second of CPU time, which on a busy machine is many more: ended for that, it would never start. */
const maxStartMs = 60_000;

export interface Numbered<Content> {
  id: number;
  content: Content;
}

/** What a worker says to a question: its answer, or why it failed. */
export type Reply<Answer> = Numbered<Answer> | { id: number; failure: string };

interface Pending<Answer> {
  size: number;
  /** Gives the worker this long from now on, in milliseconds. */
  wait(ms: number): void;
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
  let isReady = false;
  let nextId = 0;
  let stopped = false;

  function startWorker(): Worker {
    const started = new Worker(script, { execArgv: [], resourceLimits: { maxOldGenerationSizeMb } });
    isReady = false;
    started.on('message', (message: Reply<Answer> | typeof ready) => {
      if (message !== ready) settle(message);
      else if (worker === started) {
        isReady = true;
        for (const { wait } of pending.values()) wait(timeoutMs);
      }
    });
    started.on('error', (error: Error) => {
      onWorkerError?.(error);
      void dropWorker(started, 'broken');
    });
    started.on('exit', () => void dropWorker(started, 'broken'));
    // Last: listening for messages makes the process wait for the worker again.
    started.unref();
    return started;
  }

  function settle(reply: Reply<Answer>): void {
    if ('failure' in reply) onWorkerError?.(new Error(reply.failure));
    pending.get(reply.id)?.settle('failure' in reply ? { gaveUp: 'broken' } : { answer: reply.content });
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
      let timer: NodeJS.Timeout | undefined;
      const wait = (ms: number) => {
        clearTimeout(timer);
        timer = setTimeout(() => void dropWorker(asked, 'slow'), ms);
      };
      wait(isReady ? timeoutMs : maxStartMs);
      pendingBytes += size;
      pending.set(id, {
        size,
        wait,
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
