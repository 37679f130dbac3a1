import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../../database.ts';
import { StorageUnavailableError } from '../../open-guarded-database.ts';

/** Somebody reads or writes a table for longer than we let others wait. */
export class TableInUseError extends Error {
  readonly code = 'table_in_use';
}

const tries = 5;
const pauseMs = 3_000;
const lockNotAvailable = '55P03';
const deadlockDetected = '40P01';

/**
 * From here on the transaction waits for a table for two seconds at most. While we wait for one, everybody who comes after us waits
 * too, and proxies refuse requests whose admission takes longer than a second.
 */
export async function limitLockWait(transaction: Db): Promise<void> {
  await sql`SET LOCAL lock_timeout = '2s'`.execute(transaction);
}

/**
 * Does what needs tables for itself, in transactions with {@link limitLockWait}. Where somebody else had one for longer, it is done
 * again a few seconds later, four times.
 *
 * @param refusal what cannot be done then, for the error
 * @throws TableInUseError
 */
export function tryForLocks<Result>(refusal: string, work: () => Promise<Result>): Promise<Result> {
  return tryAgain(refusal, [lockNotAvailable, deadlockDetected], work);
}

/**
 * The same within a transaction, for one more table: what it did before stays done. A deadlock ends all of it, since somebody waits for a
 * table that the transaction has already.
 *
 * @throws TableInUseError
 */
export function lockWithin(transaction: Db, refusal: string, table: string): Promise<void> {
  return tryAgain(refusal, [lockNotAvailable], async () => {
    await sql`SAVEPOINT before_lock`.execute(transaction);
    try {
      await sql`LOCK TABLE ONLY ${sql.table(table)} IN ACCESS EXCLUSIVE MODE`.execute(transaction);
    } catch (error) {
      await sql`ROLLBACK TO SAVEPOINT before_lock`.execute(transaction);
      throw error;
    }
  });
}

async function tryAgain<Result>(
  refusal: string,
  inUse: readonly string[],
  work: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const cause = error instanceof StorageUnavailableError ? error.cause : error;
      if (!inUse.includes(String((cause as { code?: unknown }).code))) throw error;
      if (attempt === tries)
        throw new TableInUseError(`${refusal}: a long query or a backup is in the way. Try again when it is done`);
      await setTimeout(pauseMs);
    }
  }
}
