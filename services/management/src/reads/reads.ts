import { ApiError } from '@agp/core/errors';
import { type Database, type Db, shareDatabase } from '@agp/db';
import type { Response } from 'express';
import type { ChangesFirst } from '../changes/changes-first.ts';

/** Running answers of one key; further ones wait a moment. Each keeps up to a page of rows in memory while its reader is slow. */
const maxAnswers = 50;
/** A reader that takes nothing for this long is disconnected, in milliseconds. */
const readerSilenceMs = 60_000;
/** Reads of one key that wait for one of its answers to end, and how long: to refuse them at once would make them come back at once. */
const maxWaiting = 100;
const waitMs = 1_000;
const share = { connections: 2, waiting: 100 };

/** Keeps one key's reads from taking the connections and memory that others, and above all changes, need. */
export class Reads {
  readonly #databaseOf: (holder: string) => Db;
  readonly #answers = new Map<string, { running: number; queue: (() => void)[] }>();

  /**
   * @param database connections for reads only
   * @param changes that go before reads
   * @param connectionWaitMs longest wait for a connection, in milliseconds
   */
  constructor(database: Database, changes: ChangesFirst, connectionWaitMs: number) {
    this.#databaseOf = shareDatabase(database, { ...share, waitMs: connectionWaitMs, hold: () => changes.calm() });
  }

  /** @param holder of the key or session that asks */
  databaseOf(holder: string): Db {
    return this.#databaseOf(holder);
  }

  /**
   * Counts an answer until its connection closes or it is sent. Beyond its share a read waits up to a second.
   *
   * @throws ApiError `too_many_reads`
   */
  async begin(holder: string, response: Response): Promise<void> {
    const answers = this.#answers.get(holder) ?? { running: 0, queue: [] };
    this.#answers.set(holder, answers);
    if (answers.running >= maxAnswers) await waitForTurn(answers.queue);
    else answers.running += 1;
    const end = () => {
      const next = answers.queue.shift();
      // It gets the place of this one.
      if (next !== undefined) next();
      else answers.running -= 1;
      if (answers.running === 0) this.#answers.delete(holder);
    };
    if (response.closed) return end();
    response.once('close', end);
    response.once('prefinish', () => giveUpSilentReader(response));
  }
}

async function waitForTurn(queue: (() => void)[]): Promise<void> {
  if (queue.length >= maxWaiting) throw new ApiError('too_many_reads');
  const turn = Promise.withResolvers<void>();
  queue.push(turn.resolve);
  const timer = setTimeout(() => {
    queue.splice(queue.indexOf(turn.resolve), 1);
    turn.reject(new ApiError('too_many_reads'));
  }, waitMs);
  await turn.promise.finally(() => clearTimeout(timer));
}

/** Disconnects a reader that stops reading. Only for answers that are being written, not those still being looked up. */
export function giveUpSilentReader(response: Response): void {
  response.setTimeout(readerSilenceMs, () => response.destroy());
}
