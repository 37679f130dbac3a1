import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { type Database, type DatabaseOptions, openDatabase } from './database.ts';
import type { Schema } from './schema.ts';

/** Postgres cannot be reached, does not answer in time, or cannot serve now; the same statement may work later. */
export class StorageUnavailableError extends Error {
  readonly code = 'storage_unavailable';

  constructor(cause: unknown) {
    super('storage unavailable', { cause });
    this.name = 'StorageUnavailableError';
  }
}

/**
 * Classes and codes of SQLSTATE that speak of the server's state and not of the statement
 * (PostgreSQL manual, appendix A).
 */
const unavailableClasses = new Set(['08', '28', '3D', '53', '57', '58']);
const unavailableCodes = new Set(['25006', '40001', '40P01', '55P03']);

function classify(error: unknown): unknown {
  // What is not an answer of the server is a failure of the way to it: sockets, name look-up, and pg's own time
  // limits, which carry no code.
  if (!(error instanceof pg.DatabaseError)) return new StorageUnavailableError(error);
  const code = error.code ?? '';
  const unavailable = unavailableClasses.has(code.slice(0, 2)) || unavailableCodes.has(code);
  return unavailable ? new StorageUnavailableError(error) : error;
}

/** One stay of a connection outside the pool. */
function guardClient(client: pg.PoolClient): PostgresPoolClient {
  let broken = false;
  const query = async (sql: string, parameters: unknown[]) => {
    try {
      return await client.query(sql, parameters);
    } catch (error) {
      // A statement that was given up on here may still occupy the connection.
      if (!(error instanceof pg.DatabaseError)) broken = true;
      throw classify(error);
    }
  };
  return {
    query: query as unknown as PostgresPoolClient['query'],
    release: (destroy) => client.release(broken || destroy === true),
  };
}

/** A pool whose failures are {@link StorageUnavailableError} or errors of the statement, and that drops silent connections. */
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

/** {@link openDatabase} for a service that tells its callers when storage is away. */
export function openGuardedDatabase(options: DatabaseOptions): Database {
  const { pool } = openDatabase(options);
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: guardPool(pool) }) });
  return { db, pool, close: () => pool.end() };
}
