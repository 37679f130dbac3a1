import { ApiError } from '@agp/core/errors';
import { type Database, type Db, shareDatabase } from '@agp/db';
import type { Response } from 'express';

/** Answers of one key that may be on their way at once: each holds up to a page of rows while its reader takes its time. */
const maxAnswers = 50;
/** A reader that takes nothing of its answer for this long is given up, in milliseconds. */
const readerSilenceMs = 60_000;
const share = { connections: 3, waiting: 100, waitMs: 5_000 };

/** What keeps one key that only reads from taking the connections and the memory that others need, and changes most of all. */
export class Reads {
  readonly #databaseOf: (keyId: string) => Db;
  readonly #answers = new Map<string, number>();

  /** @param database connections for nothing but reads */
  constructor(database: Database) {
    this.#databaseOf = shareDatabase(database, share);
  }

  /** @param keyId UUID of the key that asks */
  databaseOf(keyId: string): Db {
    return this.#databaseOf(keyId);
  }

  /**
   * Counts an answer until it is through, or its reader is.
   *
   * @throws ApiError `too_many_reads`
   */
  begin(keyId: string, response: Response): void {
    const running = this.#answers.get(keyId) ?? 0;
    if (running >= maxAnswers) throw new ApiError('too_many_reads');
    this.#answers.set(keyId, running + 1);
    response.once('close', () => {
      const left = (this.#answers.get(keyId) ?? 1) - 1;
      if (left === 0) this.#answers.delete(keyId);
      else this.#answers.set(keyId, left);
    });
    response.once('prefinish', () => giveUpSilentReader(response));
  }
}

/** Ends the connection of a reader that stops to take what is written to it. For answers whose bytes are ready, not those still being looked up. */
export function giveUpSilentReader(response: Response): void {
  response.setTimeout(readerSilenceMs, () => response.destroy());
}
