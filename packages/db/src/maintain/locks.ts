import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../database.ts';
import { StorageUnavailableError } from '../guarded-database.ts';

interface Holder {
  pid: number;
  application: string;
  user: string;
  /** Names its transaction while that runs. */
  transaction: string;
  /** Null if we may not see that of another user. */
  seconds: number | null;
}

const maxNamed = 5;

/**
 * A look at who has held locks on our tables since the first look; never the text of a query, which may hold secrets.
 */
export function watchLockHolders(db: Db): { look(): Promise<void>; describe(): string } {
  const since = new Map<string, number>();
  let present: Holder[] = [];
  return {
    async look() {
      await sql`SELECT pg_stat_clear_snapshot()`.execute(db);
      const { rows } = await sql<Holder>`
        SELECT pid, application_name AS application, usename AS user, virtualtransaction AS transaction,
          max(extract(epoch FROM clock_timestamp() - xact_start)) AS seconds
        FROM pg_locks JOIN pg_class ON pg_class.oid = relation JOIN pg_stat_activity USING (pid)
        WHERE granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
          AND relnamespace = 'public'::regnamespace AND pid <> pg_backend_pid()
        GROUP BY 1, 2, 3, 4`.execute(db);
      present = rows;
      for (const { transaction } of rows) if (!since.has(transaction)) since.set(transaction, performance.now());
    },
    describe() {
      const seen = present
        .map((holder) => {
          const watched = (performance.now() - (since.get(holder.transaction) ?? 0)) / 1_000;
          return { ...holder, seconds: Math.round(Math.max(holder.seconds ?? 0, watched)) };
        })
        .toSorted((a, b) => b.seconds - a.seconds);
      const named = seen.slice(0, maxNamed).map(({ pid, application, user, seconds }) => {
        return `pid ${pid} (${application || 'no application name'}, user ${user}, for ${seconds} s or longer)`;
      });
      const left = seen.length - named.length;
      return [...named, ...(left > 0 ? [`${left} more`] : [])].join(', ') || 'nobody any more';
    },
  };
}

/** A long statement of somebody else holds a table that is needed. */
export class TableInUseError extends Error {
  readonly code = 'table_in_use';
}

/** How often locks are asked for, and what lies between, in milliseconds. */
export interface Patience {
  tries: number;
  pauseMs: number;
}

/** As long as a query of a report may take. */
const usualPatience: Patience = { tries: 5, pauseMs: 3_000 };
const lockNotAvailable = '55P03';
const deadlockDetected = '40P01';

/** Two seconds for each table lock: all who come after it wait as well, and proxies refuse requests whose admission takes over a second. */
export async function limitLockWait(transaction: Db): Promise<void> {
  await sql`SET LOCAL lock_timeout = '2s'`.execute(transaction);
}

/**
 * Runs work with exclusive table locks, up to five times if not told otherwise; TableInUseError says with `refusal` what could not be
 * done.
 */
export function tryForLocks<Result>(
  db: Db,
  refusal: string,
  work: () => Promise<Result>,
  patience?: Patience,
): Promise<Result> {
  return tryAgain(db, refusal, [lockNotAvailable, deadlockDetected], work, patience);
}

/** Locks one more table within a transaction and keeps its earlier work; a deadlock still ends the whole. */
export function lockWithin(transaction: Db, refusal: string, table: string): Promise<void> {
  return tryAgain(transaction, refusal, [lockNotAvailable], async () => {
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
  db: Db,
  refusal: string,
  inUse: readonly string[],
  work: () => Promise<Result>,
  { tries, pauseMs } = usualPatience,
): Promise<Result> {
  const holders = watchLockHolders(db);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const cause = error instanceof StorageUnavailableError ? error.cause : error;
      if (!inUse.includes(String((cause as { code?: unknown }).code))) throw error;
      await holders.look();
      if (attempt === tries) {
        const who = holders.describe();
        throw new TableInUseError(
          `${refusal}: a long query or a backup is in the way. Locks are held by ${who}. Try again when it is done`,
        );
      }
      await setTimeout(pauseMs);
    }
  }
}
