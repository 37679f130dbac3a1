import { parseJson } from '@agp/core/json';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { GatheringSocket } from './gathering-socket.ts';
import type { Schema } from './schema.ts';

/** A pool of Postgres connections with kysely's query builder over it. */
export type Db = Kysely<Schema>;

export interface DatabaseOptions {
  /** `postgres://user:password@host:port/name` */
  url: string;
  /** Shown in `pg_stat_activity`, to tell the services apart. */
  applicationName: string;
  maxConnections?: number;
  /** Longest a statement may run, on the server and as seen from here, in milliseconds. */
  statementTimeoutMs?: number;
  /** Longest that a statement is waited for which was given more time on the server, in milliseconds; {@link statementTimeoutMs} if not given. */
  longestStatementMs?: number | undefined;
  /** Sends statements without waiting for the answers to earlier ones; no cursors then. */
  pipeline?: boolean;
  /** Told about connections that break while idle; the pool replaces them by itself. */
  onConnectionError?: (error: Error) => void;
}

export interface Database {
  db: Db;
  pool: pg.Pool;
  close(): Promise<void>;
}

const int8 = 20;
const numeric = 1700;
const json = 114;
const jsonb = 3802;

/**
 * Counts and sums come back as numbers, not as pg's default strings. Both are shown as JSON numbers anyway;
 * sums of money are exact in Postgres and rounded to a double only here. JSON is parsed as all that we have not just made.
 */
const ownParsers = new Map<number, (text: string) => unknown>([
  [int8, Number],
  [numeric, Number],
  [json, (text) => parseJson(text)],
  [jsonb, (text) => parseJson(text)],
]);
const typeParsers: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format: 'text' | 'binary') =>
    ownParsers.get(oid) ?? pg.types.getTypeParser(oid, format)) as pg.CustomTypesConfig['getTypeParser'],
};

/** Opens a pool. Every wait in it is bounded: pg's own defaults are to wait for ever. */
export function openDatabase(options: DatabaseOptions): Database {
  const timeout = options.statementTimeoutMs ?? 30_000;
  const onError = options.onConnectionError ?? (() => {});
  const pool = new pg.Pool({
    connectionString: options.url,
    application_name: options.applicationName,
    max: options.maxConnections ?? 10,
    connectionTimeoutMillis: Math.min(timeout, 5_000),
    statement_timeout: timeout,
    // Compiling a statement takes seconds where rows are estimated wrongly; none of ours runs long enough to gain from it.
    options: '-c jit=off',
    query_timeout: (options.longestStatementMs ?? timeout) + 500,
    // A process that is gone without its server noticing must not keep its locks.
    idle_in_transaction_session_timeout: timeout,
    ...(options.pipeline ? { pipeline: true, stream: () => new GatheringSocket() } : {}),
    // A server that is gone without a word is noticed within a quarter of an hour, also where a statement is waited for.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    maxLifetimeSeconds: 1_800,
    types: typeParsers,
  });
  pool.on('error', onError);
  // A connection that breaks while checked out says so here, and its query rejects: nothing is left to do.
  pool.on('connect', (client) => client.on('error', () => {}));
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  return {
    db,
    pool,
    async close() {
      // kysely ends the pool only if it was the one to use it.
      await db.destroy();
      if (!pool.ended) await pool.end();
    },
  };
}

export type { Pool } from 'pg';
