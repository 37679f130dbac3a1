import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { startTestStack } from '@agp/local-stack/testing';
import { expect, test } from 'vitest';
import { openDatabase } from './database.ts';

test('migrate of a version that was rolled back to leaves the later schema and its privileges alone', async () => {
  await using stack = await startTestStack();
  const { databaseUrl } = stack.urls.migrator;
  const run = () => {
    const file = join(import.meta.dirname, 'commands/migrate.ts');
    const { status, stdout, stderr } = spawnSync(process.execPath, [file], {
      encoding: 'utf8',
      env: { DATABASE_URL: databaseUrl },
    });
    return { status, stdout, stderr };
  };
  const owner = openDatabase({ url: databaseUrl, applicationName: 'test', maxConnections: 1 });
  const readGrants = async () =>
    (await owner.pool.query(`SELECT has_table_privilege('agp_writer', 'later', 'SELECT') AS later`)).rows;
  try {
    await owner.pool.query(`
      INSERT INTO kysely_migration (name, timestamp) VALUES ('9999-later', 'now');
      CREATE TABLE later (id integer);
      GRANT SELECT ON later TO agp_writer`);
    expect(run()).toEqual({
      status: 0,
      stdout: 'schema is of a later version and left as it is: it has 9999-later\n',
      stderr: '',
    });
    expect(await readGrants()).toEqual([{ later: true }]);
    await owner.pool.query(`DELETE FROM kysely_migration WHERE name = '9999-later'`);
    expect(run()).toMatchObject({ status: 0, stdout: 'schema is up to date\n' });
    expect(await readGrants()).toEqual([{ later: false }]);
  } finally {
    await owner.close();
  }
});
