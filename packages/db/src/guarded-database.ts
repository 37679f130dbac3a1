import type { Team } from '@agp/core/contracts';
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { type Database, type DatabaseOptions, type Db, openDatabase } from './database.ts';
import { teamRole, teamSetting } from './role-names.ts';
import type { Schema } from './schema.ts';

export class StorageUnavailableError extends Error {
  readonly code = 'storage_unavailable';

  constructor(cause: unknown) {
    super('storage unavailable', { cause });
    this.name = 'StorageUnavailableError';
  }
}

/** A team's caller would read or change what is not the team's. */
export class OutOfTeamError extends Error {
  readonly code = 'out_of_team';
}

/** No privilege of the team's role, or a row that would not be the team's (PostgreSQL manual, appendix A). */
const outOfTeamCodes = new Set(['42501', '44000']);

/** About the server's state, not the statement (PostgreSQL manual, appendix A). */
const unavailableClasses = new Set(['08', '28', '3D', '53', '57', '58']);
const readOnly = '25006';
const unavailableCodes = new Set([readOnly, '40001', '40P01', '55P03']);

function classify(error: unknown): unknown {
  // Errors that the server did not send come from the connection: sockets, name look-up, and pg's own time limits, which have no code.
  if (!(error instanceof pg.DatabaseError)) return new StorageUnavailableError(error);
  const code = error.code ?? '';
  const unavailable = unavailableClasses.has(code.slice(0, 2)) || unavailableCodes.has(code);
  return unavailable ? new StorageUnavailableError(error) : error;
}

function guardClient(client: pg.PoolClient): PostgresPoolClient {
  let broken = false;
  const query = async (sql: string, parameters: unknown[]) => {
    try {
      return await client.query(sql, parameters);
    } catch (error) {
      // The server may still be working on a statement that timed out here, or take no writes any more.
      if (!(error instanceof pg.DatabaseError) || error.code === readOnly) broken = true;
      throw classify(error);
    }
  };
  return {
    query: query as unknown as PostgresPoolClient['query'],
    release: (destroy) => client.release(broken || destroy === true),
  };
}

/** Rejects with {@link StorageUnavailableError} or an error of the statement, and drops connections that went silent. */
function guardPool(pool: pg.Pool): PostgresPool {
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => {
      try {
        return guardClient(await pool.connect());
      } catch (error) {
        throw classify(error);
      }
    },
  };
}

export function openGuardedDatabase(options: DatabaseOptions): Database {
  const { pool, close } = openDatabase(options);
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: guardPool(pool) }) });
  return { db, pool, close };
}

export class ShareExceededError extends Error {
  readonly code = 'share_exceeded';
}

export interface Shares {
  connections: number;
  /** Statements of one holder that may wait for a connection. */
  waiting: number;
  waitMs: number;
  /** {@link ShareExceededError} if not given. */
  refuse?: () => Error;
}

interface Share {
  running: number;
  queue: (() => void)[];
}

/** Each statement is of the team's rows alone, as of a connection that was opened `ofTeam`. */
async function ofTeam(client: PostgresPoolClient, team: Team): Promise<PostgresPoolClient> {
  try {
    const { rows } = await client.query<{ role: string }>(
      `SELECT set_config('${teamSetting}', $1, false), current_user AS role`,
      [JSON.stringify(team)],
    );
    // A pooler may drop what a connection was opened with.
    if (rows[0]?.role !== teamRole)
      throw new StorageUnavailableError(new Error(`connected as another than ${teamRole}`));
  } catch (error) {
    client.release(true);
    throw error;
  }
  const query = (sql: string, parameters: readonly unknown[]) =>
    client.query(sql, parameters).catch((error: { code?: string }) => {
      throw outOfTeamCodes.has(error.code ?? '') ? new OutOfTeamError('not of the team', { cause: error }) : error;
    });
  return { query: query as PostgresPoolClient['query'], release: (destroy) => client.release(destroy) };
}

/**
 * Statements beyond a holder's share wait, and fail if too many do or it takes too long.
 * @returns with a team, for a database that was opened `ofTeam`, what reads and changes that team's rows alone
 */
export function shareDatabase({ pool }: Database, shares: Shares): (holder: string, team?: Team) => Db {
  const guarded = guardPool(pool);
  const held = new Map<string, Share>();
  const { refuse = () => new ShareExceededError('too much at once') } = shares;

  async function take(holder: string): Promise<void> {
    const share = held.get(holder) ?? { running: 0, queue: [] };
    held.set(holder, share);
    if (share.running < shares.connections) {
      share.running += 1;
      return;
    }
    if (share.queue.length >= shares.waiting) throw refuse();
    const turn = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      share.queue.splice(share.queue.indexOf(turn.resolve), 1);
      turn.reject(refuse());
    }, shares.waitMs);
    share.queue.push(turn.resolve);
    await turn.promise.finally(() => clearTimeout(timer));
  }

  function giveBack(holder: string): void {
    const share = held.get(holder);
    if (share === undefined) return;
    const next = share.queue.shift();
    if (next !== undefined) next();
    else share.running -= 1;
    if (share.running === 0) held.delete(holder);
  }

  const poolOf = (holder: string, team?: Team): PostgresPool => ({
    ...guarded,
    async connect() {
      await take(holder);
      try {
        const client = await guarded.connect();
        const { query } = team ? await ofTeam(client, team) : client;
        return {
          query: query.bind(client) as typeof query,
          release(destroy) {
            client.release(destroy);
            giveBack(holder);
          },
        };
      } catch (error) {
        giveBack(holder);
        throw error;
      }
    },
  });
  return (holder, team) => new Kysely<Schema>({ dialect: new PostgresDialect({ pool: poolOf(holder, team) }) });
}
