import { parentPort, Worker } from 'node:worker_threads';
import { FairQueue, FairShares, type Holder } from '@agp/runtime/fairness';

// One by one: workers load this file too, and should load nothing that they do not need.

/** Why a question has no answer: too much was waiting, it took too long, or the worker broke or failed at it. */
type GaveUp = 'busy' | 'slow' | 'broken';

export class OffloadError extends Error {
  readonly code: GaveUp;

  constructor(code: GaveUp) {
    super(`the worker was ${code}`);
    this.code = code;
  }
}

export interface OffloadOptions<Question> {
  /** A question that takes longer ends the worker, in milliseconds. Neither its start nor the wait counts. */
  timeoutMs: number;
  /** Questions that run or wait, in which each agent has its share; beyond this, they are refused. */
  maxPending: number;
  maxPendingBytes: number;
  prepare?: (question: Question) => Question;
  onWorkerError?: ((error: Error) => void) | undefined;
}

/** Parsing a body of very many small values may need more than this: that ends the worker, and not the process. */
const maxOldGenerationSizeMb = 768;

interface Offload<Question, Answer> {
  /** Each holder has its turn by the time its questions took. @param size in bytes @throws OffloadError */
  ask(question: Question, size: number, holder: Holder): Promise<Answer>;
  stop(): Promise<void>;
}

/** A worker's first message: it can be asked now. */
export const ready = 'ready';

/** Starting takes a second of CPU time, and many on a busy machine: with a shorter limit it might never start. */
const maxStartMs = 60_000;

/** A question waits this long for its turn. Its event waits with it, and so does a process that is stopping. */
const maxWaitMs = 15_000;

export interface Numbered<Content> {
  id: number;
  content: Content;
}

export type Reply<Answer> = Numbered<Answer> | { id: number; failure: string };

interface Pending<Question, Answer> extends Numbered<Question> {
  holder: Holder;
  size: number;
  askedAt: number;
  settle(result: { answer: Answer } | { gaveUp: GaveUp }): void;
  /** Gives up in this time from now on, in milliseconds; replaces what was set before. */
  giveUpAfter(ms: number, giveUp: () => void): void;
}

const bytesPerMs = 4_096;

/**
 * A worker that the first question starts. It has one question at a time, so that one which takes too long fails alone and the
 * worker is replaced; the agent that had least of its time is next. piscina would replace the messages alone: turns by time
 * used, shares of the queue and limits on waiting would remain here.
 */
export function createOffload<Question, Answer>(
  script: URL,
  options: OffloadOptions<Question>,
): Offload<Question, Answer> {
  const { timeoutMs, maxPending, maxPendingBytes, prepare = (question) => question, onWorkerError } = options;
  const waiting = new FairQueue<Pending<Question, Answer>>(({ size }) => size / bytesPerMs);
  const places = new FairShares({ max: maxPending });
  const bytes = new FairShares({ max: maxPendingBytes });
  let running: Pending<Question, Answer> | null = null;
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
        for (const question of waiting.list()) waitForTurn(question);
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
      waiting.delete(question.holder, question);
      question.settle({ gaveUp: 'busy' });
    });
  }

  function askNext(): void {
    if (running !== null || waiting.size === 0) return;
    worker ??= startWorker();
    if (!isReady) return;
    const asked = worker;
    const next = waiting.peek();
    if (!next) return;
    waiting.delete(next.holder, next);
    running = next;
    next.askedAt = performance.now();
    next.giveUpAfter(timeoutMs, () => dropWorker(asked, 'slow'));
    asked.postMessage({ id: next.id, content: prepare(next.content) } satisfies Numbered<Question>);
  }

  function settle(reply: Reply<Answer>): void {
    if ('failure' in reply) onWorkerError?.(new Error(reply.failure));
    if (running?.id !== reply.id) return;
    const answered = running;
    endRunning(answered);
    answered.settle('failure' in reply ? { gaveUp: 'broken' } : { answer: reply.content });
  }

  function endRunning({ holder, askedAt }: Pending<Question, Answer>): void {
    running = null;
    waiting.charge(holder, performance.now() - askedAt);
  }

  function dropWorker(dropped: Worker, reason: GaveUp): void {
    if (worker !== dropped) return;
    worker = null;
    const lost = [...(running ? [running] : []), ...(isReady && !stopped ? [] : waiting.list())];
    if (running) endRunning(running);
    for (const question of lost) {
      waiting.delete(question.holder, question);
      question.settle({ gaveUp: reason });
    }
    void dropped.terminate();
    if (!stopped) askNext();
  }

  return {
    async ask(content, size, holder) {
      if (stopped || places.findFull(holder, 1) !== null || bytes.findFull(holder, size) !== null)
        throw new OffloadError('busy');
      const { promise, resolve, reject } = Promise.withResolvers<Answer>();
      let timer: NodeJS.Timeout | undefined;
      const question: Pending<Question, Answer> = {
        id: nextId++,
        content,
        holder,
        size,
        askedAt: 0,
        settle: (result) => {
          clearTimeout(timer);
          places.giveBack(holder, 1);
          bytes.giveBack(holder, size);
          if ('answer' in result) resolve(result.answer);
          else reject(new OffloadError(result.gaveUp));
        },
        giveUpAfter: (ms, giveUp) => {
          clearTimeout(timer);
          timer = setTimeout(giveUp, ms);
        },
      };
      places.take(holder, 1);
      bytes.take(holder, size);
      waiting.push(holder, question);
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

/** The worker's side of an offload. A question that fails is reported, and the others are answered all the same. */
export function answerQuestions<Question, Answer>(answer: (question: Question) => Answer | Promise<Answer>): void {
  const tryToAnswer = async (id: number, content: Question): Promise<Reply<Answer>> => {
    try {
      return { id, content: await answer(content) };
    } catch (error) {
      return { id, failure: String(error) };
    }
  };
  const reply = async ({ id, content }: Numbered<Question>) => {
    parentPort?.postMessage(await tryToAnswer(id, content));
  };
  parentPort?.on('message', (question: Numbered<Question>) => void reply(question));
  parentPort?.postMessage(ready);
}
