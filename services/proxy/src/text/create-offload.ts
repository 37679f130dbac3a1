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
  /** A question that the worker takes longer for ends the worker, in milliseconds. Neither its start nor the wait counts. */
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

/** A question waits this long for its turn. Its event waits with it, and so does a process that is to stop. */
const maxWaitMs = 15_000;

export interface Numbered<Content> {
  id: number;
  content: Content;
}

/** What a worker says to a question: its answer, or why it failed. */
export type Reply<Answer> = Numbered<Answer> | { id: number; failure: string };

/** A question, from when it is asked until it is settled. */
interface Pending<Question, Answer> extends Numbered<Question> {
  settle(result: { answer: Answer } | { gaveUp: GaveUp }): void;
  /** Gives up in this time from now on, in milliseconds; replaces what was set before. */
  giveUpAfter(ms: number, giveUp: () => void): void;
}

/**
 * Makes a worker that is started by the first question and does not keep the process alive. It has one question at a
 * time: the others wait here, so that one which takes too long takes none with it but itself. The worker is then replaced.
 */
export function createOffload<Question, Answer>(script: URL, options: OffloadOptions): Offload<Question, Answer> {
  const { timeoutMs, maxPending, maxPendingBytes, onWorkerError } = options;
  const waiting = new Set<Pending<Question, Answer>>();
  let running: Pending<Question, Answer> | null = null;
  let pending = 0;
  let pendingBytes = 0;
  let worker: Worker | null = null;
  let isReady = false;
  let nextId = 0;
  let stopped = false;

  function startWorker(): Worker {
    const started = new Worker(script, { execArgv: [], resourceLimits: { maxOldGenerationSizeMb } });
    isReady = false;
    const startTimer = setTimeout(() => dropWorker(started, 'slow'), maxStartMs);
    started.on('message', (message: Reply<Answer> | typeof ready) => {
      if (worker !== started) return;
      if (message === ready) {
        clearTimeout(startTimer);
        isReady = true;
        for (const question of waiting) waitForTurn(question);
      } else settle(message);
      askNext();
    });
    started.on('error', (error: Error) => {
      onWorkerError?.(error);
      dropWorker(started, 'broken');
    });
    started.on('exit', () => {
      clearTimeout(startTimer);
      dropWorker(started, 'broken');
    });
    // Last: listening for messages makes the process wait for the worker again.
    started.unref();
    return started;
  }

  function waitForTurn(question: Pending<Question, Answer>): void {
    question.giveUpAfter(maxWaitMs, () => {
      waiting.delete(question);
      question.settle({ gaveUp: 'busy' });
    });
  }

  function askNext(): void {
    if (running !== null || waiting.size === 0) return;
    worker ??= startWorker();
    if (!isReady) return;
    const asked = worker;
    const [next] = waiting;
    if (!next) return;
    waiting.delete(next);
    running = next;
    next.giveUpAfter(timeoutMs, () => dropWorker(asked, 'slow'));
    asked.postMessage({ id: next.id, content: next.content } satisfies Numbered<Question>);
  }

  function settle(reply: Reply<Answer>): void {
    if ('failure' in reply) onWorkerError?.(new Error(reply.failure));
    if (running?.id !== reply.id) return;
    const answered = running;
    running = null;
    answered.settle('failure' in reply ? { gaveUp: 'broken' } : { answer: reply.content });
  }

  /** What was waiting goes to the next worker, unless this one never got so far as to be asked. */
  function dropWorker(dropped: Worker, reason: GaveUp): void {
    if (worker !== dropped) return;
    worker = null;
    const lost = [...(running ? [running] : []), ...(isReady && !stopped ? [] : waiting)];
    running = null;
    for (const question of lost) {
      waiting.delete(question);
      question.settle({ gaveUp: reason });
    }
    void dropped.terminate();
    if (!stopped) askNext();
  }

  return {
    async ask(content, size) {
      if (stopped || pending >= maxPending || pendingBytes + size > maxPendingBytes) throw new OffloadError('busy');
      const { promise, resolve, reject } = Promise.withResolvers<Answer>();
      let timer: NodeJS.Timeout | undefined;
      const question: Pending<Question, Answer> = {
        id: nextId++,
        content,
        settle: (result) => {
          clearTimeout(timer);
          pending -= 1;
          pendingBytes -= size;
          if ('answer' in result) resolve(result.answer);
          else reject(new OffloadError(result.gaveUp));
        },
        giveUpAfter: (ms, giveUp) => {
          clearTimeout(timer);
          timer = setTimeout(giveUp, ms);
        },
      };
      pending += 1;
      pendingBytes += size;
      waiting.add(question);
      if (isReady) waitForTurn(question);
      askNext();
      return promise;
    },
    async stop() {
      stopped = true;
      const ended = worker;
      if (!ended) return;
      dropWorker(ended, 'broken');
      await ended.terminate();
    },
  };
}
