import { listNewerMigrations, migrate } from '@agp/db';
import { withDatabase } from '../connect.ts';
import { exitCodes, print, runCommand } from '../run-command.ts';

await runCommand({
  help: `Brings the database's schema up to date and makes the partitions of the coming weeks. Safe to run again.

usage: npm run migrate

Reads DATABASE_URL. ${exitCodes}`,
  run: () =>
    withDatabase('migrate', { statementTimeoutMs: 600_000 }, async (db) => {
      const applied = await migrate(db, new Date());
      const newer = await listNewerMigrations(db);
      if (newer.length > 0) print(`schema is of a later version and left as it is: it has ${newer.join(', ')}`);
      else print(applied.length === 0 ? 'schema is up to date' : `applied ${applied.join(', ')}`);
    }),
});
