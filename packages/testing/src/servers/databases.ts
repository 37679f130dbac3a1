import pg from 'pg';

/** Runs statements as the superuser, one after the other. @returns the rows of the last */
export async function runSql(url: string, ...statements: string[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  } finally {
    await client.end();
  }
}

/** Makes a database from a template, for `owner` or the URL's user. Names must be plain identifiers. */
export async function createDatabase(
  serverUrl: string,
  name: string,
  template = 'template1',
  owner = 'DEFAULT',
): Promise<string> {
  await runSql(serverUrl, `CREATE DATABASE "${name}" TEMPLATE "${template}" STRATEGY FILE_COPY OWNER ${owner}`);
  return Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
}
