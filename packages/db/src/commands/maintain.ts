import { openDatabase } from '../database.ts';
import { makePartitions } from '../queries/make-partitions.ts';

const url = process.env.DATABASE_URL;
if (!url) throw new Error('DATABASE_URL is not set: it names the database to maintain');
const database = openDatabase({ url, applicationName: 'agp-maintain', maxConnections: 1 });
const made = await makePartitions(database.db, new Date());
console.log(made.length === 0 ? 'all partitions of the coming weeks exist' : `made ${made.join(', ')}`);
await database.close();
