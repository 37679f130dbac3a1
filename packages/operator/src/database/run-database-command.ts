import { parseArgs } from 'node:util';
import { toLinesText, toLineText } from '@agp/core/text';
import type { Db } from '@agp/db';
import { openGuardedDatabase, StorageUnavailableError } from '@agp/db';
import { hideCredentials } from '@agp/pii/hide-credentials';
import { readVariable } from './read-variable.ts';

export interface DatabaseCommand {
  name: string;
  /** What it does, in one sentence. */
  purpose: string;
  /** Longest a statement of it may run, in milliseconds. */
  statementTimeoutMs: number;
  /** Longest that a statement may run which takes its own time, in milliseconds. */
  longestStatementMs?: number;
  /** What it reads beside `DATABASE_URL`, for its help. */
  reads?: string;
  /** Checks and makes what must be there before it connects. */
  prepare?(databaseUrl: string): Promise<void>;
  /** @returns what to print */
  work(db: Db): Promise<string>;
}

const exitCodes = 'Exit codes: 0 done, 1 failed, 2 wrong usage.';

/** A connection to a name with several addresses fails with one error for each, and no message of its own. */
function describe(error: unknown): string {
  const cause = error instanceof StorageUnavailableError ? error.cause : error;
  const [first] = cause instanceof AggregateError ? cause.errors : [cause];
  // Postgres quotes what it refuses, and drivers their URLs.
  const message = toLineText(hideCredentials((first instanceof Error ? first.message : String(first)).slice(0, 4_000)));
  return error instanceof StorageUnavailableError ? `DATABASE_URL: the database cannot be used: ${message}` : message;
}

function print(code: number, text: string): number {
  if (code === 0) console.log(toLinesText(text, 100_000));
  else console.error(toLinesText(text, 100_000));
  return code;
}

/**
 * Runs a command that takes no arguments but `--help` and works on the database of `DATABASE_URL`, which
 * may stand in a file (`DATABASE_URL_FILE`). A failure is told in one line.
 *
 * @returns the exit code: 0 done, 1 failed, 2 wrong usage
 */
export async function runDatabaseCommand(command: DatabaseCommand): Promise<number> {
  const { name, purpose, statementTimeoutMs, longestStatementMs, reads } = command;
  const help = `${purpose}\n\nusage: npm run ${name}\n\nReads DATABASE_URL${reads ? `, ${reads}` : ''}. ${exitCodes}`;
  try {
    if (parseArgs({ options: { help: { type: 'boolean', short: 'h' } } }).values.help) return print(0, help);
  } catch (error) {
    return print(2, `${describe(error)}\n\n${help}`);
  }
  try {
    const url = readVariable('DATABASE_URL');
    if (url === undefined) return print(1, 'DATABASE_URL is not set: it names the database');
    await command.prepare?.(url);
    const database = openGuardedDatabase({
      url,
      applicationName: `agp-${name}`,
      maxConnections: 1,
      statementTimeoutMs,
      longestStatementMs,
    });
    try {
      return print(0, await command.work(database.db));
    } finally {
      await database.close();
    }
  } catch (error) {
    return print(1, describe(error));
  }
}
