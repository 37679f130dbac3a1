import { parentPort, Worker } from 'node:worker_threads';
import { FairQueue, FairShares, type Holder, inTurns } from '@agp/runtime/fairness';

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
  /** A question that takes longer ends its worker, in milliseconds. Neither its start nor the wait counts. */
  timeoutMs: number;
  /** Threads at most; an agent uses one at a time, and so do a network's agents without a token while others wait. */
  workers?: number;
  /** Questions that run or wait, in which each agent has its share; beyond this, they are refused. */
  maxPending: number;
  maxPendingBytes: number;
  /** Makes what a worker gets in steps, between which others have their turn; the question itself if not given. */
  prepare?: (question: Question) => Generator<undefined, Prepared<Question>>;
  onWorkerError?: ((error: Error) => void) | undefined;
}

/** What a worker gets, and the memory in it that it gets for itself: anything else is copied in one turn. */
interface Prepared<Content> {
  content: Content;
  owned: readonly ArrayBuffer[];
}

/** Parsing a body of very many small values may need more than this: that ends the worker, and not the process. */
const maxOldGenerationSizeMb = 768;

interface Offload<Question, Answer> {
  /**
   * Each holder has its turn by the time its questions took.
   * @param size in bytes @param timeoutMs of this question, if it has its own @throws OffloadError
   */
  ask(question: Question, size: number, holder: Holder, timeoutMs?: number): Promise<Answer>;
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
  timeoutMs: number;
  askedAt: number;
  /** Since when it could have had its turn; undefined until then. */
  waits: number | undefined;
  settle(result: { answer: Answer } | { gaveUp: GaveUp }): void;
  /** Gives up in this time from now on, in milliseconds; replaces what was set before. */
  giveUpAfter(ms: number, giveUp: () => void): void;
}

const bytesPerMs = 4_096;

/** A thread, and what it was asked. */
interface Slot<Question, Answer> {
  worker: Worker;
  isReady: boolean;
  running: Pending<Question, Answer> | null;
}

// biome-ignore lint/correctness/useYield: it has one step.
function* asItIs<Question>(content: Question): Generator<undefined, Prepared<Question>> {
  return { content, owned: [] };
}

/**
 * Workers that questions start. Each has one question at a time, so that one which takes too long fails alone and its worker is replaced;
 * the agent that had least of their time is next. piscina would replace the messages alone: turns by time used, shares of the queue and
 * limits on waiting would remain here.
 */
export function createOffload<Question, Answer>(
  script: URL,
  options: OffloadOptions<Question>,
): Offload<Question, Answer> {
  const { maxPending, maxPendingBytes, workers = 1, prepare = asItIs, onWorkerError } = options;
  const waiting = new FairQueue<Pending<Question, Answer>>(({ size }) => size / bytesPerMs);
  const places = new FairShares({ max: maxPending });
  const bytes = new FairShares({ max: maxPendingBytes });
  const slots = new Set<Slot<Question, Answer>>();
  let nextId = 0;
  let stopped = false;

  function openSlot(): void {
    const worker = new Worker(script, { execArgv: [], resourceLimits: { maxOldGenerationSizeMb } });
    const slot: Slot<Question, Answer> = { worker, isReady: false, running: null };
    slots.add(slot);
    const startTimer = setTimeout(() => drop(slot, 'slow'), maxStartMs);
    worker.on('message', (message: Reply<Answer> | typeof ready) => {
      if (!slots.has(slot)) return;
      if (message === ready) {
        clearTimeout(startTimer);
        slot.isReady = true;
        for (const question of waiting.list()) waitForTurn(question);
      } else settle(slot, message);
      askNext();
    });
    worker.on('error', (error: Error) => {
      onWorkerError?.(error);
      drop(slot, 'broken');
    });
    worker.on('exit', () => {
      clearTimeout(startTimer);
      drop(slot, 'broken');
    });
    // Last: listening for messages makes the process wait for the worker again.
    worker.unref();
  }

  const isAnyReady = () => [...slots].some(({ isReady }) => isReady);

  function waitForTurn(question: Pending<Question, Answer>): void {
    question.waits ??= performance.now();
    question.giveUpAfter(Math.max(0, question.waits + maxWaitMs - performance.now()), () => {
      waiting.delete(question.holder, question);
      question.settle({ gaveUp: 'busy' });
    });
  }

  /** Whose turn it is, and who has no worker: first of networks, then of agents. */
  function findNext(): Pending<Question, Answer> | null {
    const holders = [...slots].flatMap(({ running }) => running?.holder ?? []);
    const isOther = ({ holder }: { holder: Holder }) => holders.every(({ agentId }) => agentId !== holder.agentId);
    const isElsewhere = (each: { holder: Holder }) =>
      isOther(each) && (each.holder.source === null || holders.every(({ source }) => source !== each.holder.source));
    return waiting.peek(isElsewhere) ?? waiting.peek(isOther);
  }

  function askNext(): void {
    for (let next = findNext(); next !== null; next = findNext()) {
      const idle = [...slots].filter(({ running }) => running === null);
      const slot = idle.find(({ isReady }) => isReady);
      if (slot === undefined) {
        if (idle.length === 0 && slots.size < workers) openSlot();
        return;
      }
      ask(slot, next);
    }
  }

  function ask(slot: Slot<Question, Answer>, next: Pending<Question, Answer>): void {
    waiting.delete(next.holder, next);
    slot.running = next;
    next.askedAt = performance.now();
    next.giveUpAfter(next.timeoutMs, () => drop(slot, 'slow'));
    const post = ({ content, owned }: Prepared<Question>) => {
      if (slot.running === next)
        slot.worker.postMessage({ id: next.id, content } satisfies Numbered<Question>, [...owned]);
    };
    inTurns(prepare(next.content))
      .then(post)
      .catch((error: Error) => {
        onWorkerError?.(error);
        if (slot.running === next) drop(slot, 'broken');
      });
  }

  function settle(slot: Slot<Question, Answer>, reply: Reply<Answer>): void {
    if ('failure' in reply) onWorkerError?.(new Error(reply.failure));
    if (slot.running?.id !== reply.id) return;
    const answered = slot.running;
    endRunning(slot, answered);
    answered.settle('failure' in reply ? { gaveUp: 'broken' } : { answer: reply.content });
  }

  function endRunning(slot: Slot<Question, Answer>, { holder, askedAt }: Pending<Question, Answer>): void {
    slot.running = null;
    waiting.charge(holder, performance.now() - askedAt);
  }

  function drop(slot: Slot<Question, Answer>, reason: GaveUp): void {
    if (!slots.delete(slot)) return;
    const isOnly = !slot.isReady && !isAnyReady();
    const lost = [...(slot.running ? [slot.running] : []), ...(isOnly || stopped ? waiting.list() : [])];
    if (slot.running) endRunning(slot, slot.running);
    for (const question of lost) {
      waiting.delete(question.holder, question);
      question.settle({ gaveUp: reason });
    }
    void slot.worker.terminate();
    if (!stopped) askNext();
  }

  return {
    async ask(content, size, holder, timeoutMs = options.timeoutMs) {
      if (stopped || places.findFull(holder, 1) !== null || bytes.findFull(holder, size) !== null)
        throw new OffloadError('busy');
      const { promise, resolve, reject } = Promise.withResolvers<Answer>();
      let timer: NodeJS.Timeout | undefined;
      const question: Pending<Question, Answer> = {
        id: nextId++,
        content,
        holder,
        size,
        timeoutMs,
        askedAt: 0,
        waits: undefined,
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
      if (isAnyReady()) waitForTurn(question);
      askNext();
      return promise;
    },
    async stop() {
      stopped = true;
      const ended = [...slots];
      for (const slot of ended) drop(slot, 'broken');
      await Promise.all(ended.map(({ worker }) => worker.terminate()));
    },
  };
}

/**
 * The worker's side of an offload. A question that fails is reported, and the others are answered all the same.
 * @param listOwned memory in an answer that the asker gets for itself: anything else is copied in its turn
 */
export function answerQuestions<Question, Answer>(
  answer: (question: Question) => Answer | Promise<Answer>,
  listOwned: (answer: Answer) => ArrayBuffer[] = () => [],
): void {
  const tryToAnswer = async (id: number, content: Question): Promise<Reply<Answer>> => {
    try {
      return { id, content: await answer(content) };
    } catch (error) {
      return { id, failure: String(error) };
    }
  };
  const reply = async ({ id, content }: Numbered<Question>) => {
    const answered = await tryToAnswer(id, content);
    parentPort?.postMessage(answered, 'failure' in answered ? [] : listOwned(answered.content));
  };
  parentPort?.on('message', (question: Numbered<Question>) => void reply(question));
  parentPort?.postMessage(ready);
}
