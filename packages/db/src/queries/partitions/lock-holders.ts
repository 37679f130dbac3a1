import { sql } from 'kysely';
import type { Db } from '../../database.ts';

interface Holder {
  pid: number;
  application: string;
  user: string;
  /** Names its transaction while that runs. */
  transaction: string;
  /** How long its transaction runs; null where we may not see that of another user. */
  seconds: number | null;
}

/** Those who are named, the longest first. */
const maxNamed = 5;

/**
 * Watches who holds locks on the product's tables. Never with the text of a query, which may hold secrets.
 *
 * @returns looks once; says who has held locks since the first look or longer
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
