import { ApiError } from '@agp/core/errors';
import { type Database, type Db, shareDatabase } from '@agp/db';
import type { Response } from 'express';

/** Running answers of one key: each keeps up to a page of rows in memory while its reader is slow. */
const maxAnswers = 50;
/** A reader that takes nothing for this long is disconnected, in milliseconds. */
const readerSilenceMs = 60_000;
const share = { connections: 3, waiting: 100, waitMs: 5_000 };

/** Keeps one key's reads from taking the connections and memory that others, and above all changes, need. */
export class Reads {
  readonly #databaseOf: (keyId: string) => Db;
  readonly #answers = new Map<string, number>();

  /** @param database connections for reads only */
  constructor(database: Database) {
    this.#databaseOf = shareDatabase(database, share);
  }

  /** @param keyId UUID of the key that asks */
  databaseOf(keyId: string): Db {
    return this.#databaseOf(keyId);
  }

  /**
   * Counts an answer until its connection closes or it is sent.
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

/** Disconnects a reader that stops reading. Only for answers that are being written, not those still being looked up. */
export function giveUpSilentReader(response: Response): void {
  response.setTimeout(readerSilenceMs, () => response.destroy());
}
