import { sql } from 'kysely';
import type { Db } from '../database.ts';

export interface Partition {
  name: string;
  from: string;
  to: string;
}

const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export async function listPartitions(db: Db, before = lastId): Promise<Partition[]> {
  const { rows } = await sql<Partition>`
    SELECT name, bounds[1] AS "from", bounds[2] AS "to" FROM (
      SELECT relname AS name,
        regexp_match(pg_get_expr(relpartbound, oid), 'FROM [(]''([0-9a-f-]{36})''[)] TO [(]''([0-9a-f-]{36})''[)]') AS bounds
      FROM pg_class JOIN pg_inherits ON inhrelid = oid WHERE inhparent = 'events'::regclass
    ) AS partitions
    WHERE bounds[2]::uuid <= ${before}::uuid ORDER BY bounds[1]`.execute(db);
  return rows;
}
