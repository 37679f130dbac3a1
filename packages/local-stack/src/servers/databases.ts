// This package may not import packages/db, and a process for each of a test run's many databases would cost more than the
// database: so it talks to Postgres itself, for this one purpose.
import pg from 'pg';

async function execute(serverUrl: string, statement: string, values: string[] = []): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: serverUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    return await client.query(statement, values);
  } finally {
    await client.end();
  }
}

function toDatabaseUrl(serverUrl: string, name: string): string {
  return Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
}

/** Makes a database from a template, for `owner` or the URL's user. Names must be plain identifiers. */
export async function createDatabase(
  serverUrl: string,
  name: string,
  template = 'template1',
  owner = 'DEFAULT',
): Promise<string> {
  await execute(serverUrl, `CREATE DATABASE "${name}" TEMPLATE "${template}" STRATEGY FILE_COPY OWNER ${owner}`);
  return toDatabaseUrl(serverUrl, name);
}

export async function ensureDatabase(serverUrl: string, name: string): Promise<string> {
  const { rowCount } = await execute(serverUrl, 'SELECT FROM pg_database WHERE datname = $1', [name]);
  return rowCount ? toDatabaseUrl(serverUrl, name) : createDatabase(serverUrl, name);
}

export async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  await execute(serverUrl, `DROP DATABASE "${name}" WITH (FORCE)`);
}
