import { Socket } from 'node:net';
import { parseJson } from '@agp/core/json';
import { LoginUrls, type ServerUrl } from '@agp/core/login-urls';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { LoginPool } from './login-pool.ts';
import { reportingSchema, teamRole } from './role-names.ts';
import type { Schema } from './schema.ts';

/**
 * A socket that sends everything written in one turn of the event loop together. pg writes a pipelined transaction statement by statement,
 * and those system calls cost the writer more than building the statements (`npm run bench:writer`).
 */
class GatheringSocket extends Socket {
  #gathering = false;

  override cork(): void {
    if (!this.#gathering) {
      this.#gathering = true;
      super.cork();
      process.nextTick(() => {
        this.#gathering = false;
        this.uncork();
      });
    }
    super.cork();
  }
}

export type Db = Kysely<Schema>;

export interface DatabaseOptions {
  /** `postgres://user:password@host:port/name`, of an endpoint that leads to the primary; chosen anew for each connection. */
  url: ServerUrl;
  applicationName: string;
  maxConnections?: number;
  /** On the server, and until its answer is there, in milliseconds. */
  statementTimeoutMs?: number;
  /** Longest that an answer is waited for if a statement gets more time on the server, in milliseconds. */
  longestStatementMs?: number | undefined;
  /** In milliseconds; five seconds if not given. */
  connectTimeoutMs?: number;
  /** Sends statements without waiting for the answers to earlier ones; cursors do not work then. */
  pipeline?: boolean;
  /**
   * Set it if every statement finds its rows by an index. Postgres then plans each once for a connection, and avoids sequential scans, so
   * that a plan made for a small table stays good as that grows.
   */
  usesIndexesOnly?: boolean;
  /** Connects as the role of teams, which sees nothing before `agp.team` is set. */
  ofTeam?: boolean;
  onConnectionError?: (error: Error) => void;
}

export interface Database {
  db: Db;
  pool: pg.Pool;
  close(): Promise<void>;
}

/** A caller that waits for a new connection may give up sooner. */
const usualConnectTimeoutMs = 5_000;

const int8 = 20;
const numeric = 1700;
const json = 114;
const jsonb = 3802;

/** Counts and sums come back as numbers, as they are in JSON. Sums of money are exact in Postgres and rounded to a double only here. */
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

/** Compilation takes seconds if rows are estimated wrongly, and no statement here runs long enough to gain from it. */
const withoutCompiling = '-c jit=off';

/** Tables and the views of them, each by its name alone: connections of a team see others of the same names. */
const searchPath = (ofTeam: boolean) =>
  ofTeam
    ? `-c role=${teamRole} -c search_path=${teamRole},${reportingSchema}`
    : `-c search_path=public,${reportingSchema}`;

const byIndexes = '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off';

/** Throws for a server that follows another: what it says of an agent may be old. */
export async function refuseStandby(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ is_standby: boolean }>('SELECT pg_is_in_recovery() AS is_standby');
  if (rows[0]?.is_standby !== false) throw new Error('the server is a standby, not the primary');
}

export function openDatabase(options: DatabaseOptions): Database {
  const timeout = options.statementTimeoutMs ?? 30_000;
  const onError = options.onConnectionError ?? (() => {});
  const client = {
    application_name: options.applicationName,
    // A connection takes several round trips: with less time, a server far away or under load would never be reached again.
    connectionTimeoutMillis: options.connectTimeoutMs ?? usualConnectTimeoutMs,
    statement_timeout: timeout,
    options: [
      withoutCompiling,
      searchPath(options.ofTeam === true),
      ...(options.usesIndexesOnly ? [byIndexes] : []),
    ].join(' '),
    query_timeout: (options.longestStatementMs ?? timeout) + 500,
  };
  const settings = {
    ...client,
    verify: (client: pg.ClientBase, done: (error?: Error) => void) =>
      void refuseStandby(client).then(() => done(), done),
    max: options.maxConnections ?? 10,
    // A process that died without the server noticing must not keep its locks.
    idle_in_transaction_session_timeout: timeout,
    ...(options.pipeline ? { pipeline: true, stream: () => new GatheringSocket() } : {}),
    // A server that vanished is noticed within a quarter of an hour, even while a statement is waited for.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    // Those with an old password end too.
    maxLifetimeSeconds: 1_800,
    types: typeParsers,
  };
  const pool = new LoginPool(settings, new LoginUrls(options.url));
  pool.on('error', onError);
  // A connection that breaks while in use emits an error here too; its query rejects, which is enough.
  pool.on('connect', (client) => client.on('error', () => {}));
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  return {
    db,
    pool,
    async close() {
      // kysely ends the pool only if it has used it.
      await db.destroy();
      if (!pool.ended) await pool.end();
    },
  };
}

export type { Pool } from 'pg';
