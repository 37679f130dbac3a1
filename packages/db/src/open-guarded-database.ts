import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { type Database, type DatabaseOptions, openDatabase } from './database.ts';
import type { Schema } from './schema.ts';

export class StorageUnavailableError extends Error {
  readonly code = 'storage_unavailable';

  constructor(cause: unknown) {
    super('storage unavailable', { cause });
    this.name = 'StorageUnavailableError';
  }
}

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
export function guardPool(pool: pg.Pool): PostgresPool {
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
