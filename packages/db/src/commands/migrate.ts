import { openDatabase } from '../database.ts';
import { migrate } from '../migrate.ts';

const url = process.env.DATABASE_URL;
if (!url) throw new Error('DATABASE_URL is not set: it names the database to migrate');
const database = openDatabase({ url, applicationName: 'agp-migrate', maxConnections: 1, statementTimeoutMs: 600_000 });
const applied = await migrate(database.db, new Date());
console.log(applied.length === 0 ? 'schema is up to date' : `applied ${applied.join(', ')}`);
await database.close();
