import type { Pool } from '@agp/db';

/** What Postgres has run, since the counters were reset. */
export interface Statement {
  text: string;
  calls: number;
  /** In all, in milliseconds. */
  ms: number;
}

/** Postgres counts statements when it was started with this, and {@link resetStatements} was called once. */
export const countStatements = 'shared_preload_libraries=pg_stat_statements';

/** Starts to count anew. */
export async function resetStatements(pool: Pool): Promise<void> {
  await pool.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
  await pool.query('SELECT pg_stat_statements_reset()');
}

/** The statements that ran since then, the costliest first. */
export async function readStatements(pool: Pool): Promise<Statement[]> {
  const { rows } = await pool.query<Statement>(`
    SELECT regexp_replace(query, '\\s+', ' ', 'g') AS text, calls::float8 AS calls, total_exec_time AS ms
    FROM pg_stat_statements WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
    ORDER BY total_exec_time DESC`);
  return rows;
}

/** The read that decides whether requests are admitted. */
export const isAdmission = ({ text }: Statement) =>
  text.includes('control.paused') && text.includes('requests_per_minute');
