import { type BusConnection, connectBus } from '@agp/bus';
import { type Db, openGuardedDatabase, StorageUnavailableError } from '@agp/db';
import { commonFields, describeFailure, loadConfig } from '@agp/runtime';
import { z } from 'zod';
import { CommandError } from './run-command.ts';

const { databaseUrl, natsUrl, natsCaFile } = commonFields;

/** Nobody waits behind a command, and on a busy machine a migration must not fail for a slow start. */
const connectTimeoutMs = 30_000;

/** Longest that one statement may take, in milliseconds. */
interface StatementTimes {
  statementTimeoutMs?: number;
  /** For statements that are known to take long. */
  longestStatementMs?: number;
}

/** The URL in `DATABASE_URL`. @throws ConfigError */
export const readDatabaseUrl = (): string => loadConfig(z.object({ databaseUrl }), process.env).databaseUrl;

/** Works on the database of `DATABASE_URL`. */
export async function withDatabase<Result>(
  name: string,
  times: StatementTimes,
  work: (db: Db) => Promise<Result>,
): Promise<Result> {
  const url = readDatabaseUrl();
  const database = openGuardedDatabase({
    url,
    applicationName: `agp-${name}`,
    maxConnections: 1,
    connectTimeoutMs,
    ...times,
  });
  try {
    return await work(database.db);
  } catch (error) {
    throw explainAway(error);
  } finally {
    await database.close();
  }
}

/** Names the variable if the database cannot be reached. */
export function explainAway(error: unknown): unknown {
  if (!(error instanceof StorageUnavailableError)) return error;
  return new CommandError(`DATABASE_URL: the database cannot be used: ${describeFailure(error)}`);
}

/** Works with the NATS server of `NATS_URL`, as the user of operators. It does not wait for a server that is away. */
export async function withBus<Result>(work: (connection: BusConnection) => Promise<Result>): Promise<Result> {
  const config = loadConfig(z.object({ natsUrl, natsCaFile }), process.env);
  const options = { url: config.natsUrl, caFile: config.natsCaFile, name: 'agp-operator', wait: false };
  const connection = await connectBus(options).catch((error: unknown) => {
    throw new CommandError(`NATS_URL: the server cannot be used: ${describeFailure(error)}`);
  });
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}
