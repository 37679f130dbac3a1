import { mostCounted } from '@agp/core/contracts';
import { firstUuidAt } from '@agp/core/ids';
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import pg from 'pg';
import type { Db } from '../database.ts';
import type { Schema } from '../schema.ts';

export interface RequestFilter {
  agentId?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
}

/** A policy, one of its rules, and what became of a request. */
export type Decided = Partial<Record<'policy' | 'rule' | 'action', string | undefined>>;

/** Rows with a decision of this policy, rule and action, all by one rule. */
export const wasDecided = (decided: Decided): RawBuilder<boolean> =>
  sql`decision @> ${JSON.stringify([decided])}::jsonb`;

export interface Page {
  limit: number;
  offset: number;
}

/** Matches a text anywhere in a name. */
export const likeAny = (text = ''): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

/** The smallest id of a time. No id is from before 1970. */
export const firstIdAt = (time: Date): string => firstUuidAt(Math.max(0, time.getTime()));

/** The end of a query over a table `request`, from WHERE on: one page, newest first. An id holds the millisecond of its request. */
export function pageOfRequests({ agentId, from, to }: RequestFilter, { limit, offset }: Page): RawBuilder<unknown> {
  const conditions = [
    ...(agentId === undefined ? [] : [sql`request.agent_id = ${agentId}`]),
    ...(from === undefined ? [] : [sql`request.event_id >= ${firstIdAt(from)}`]),
    ...(to === undefined ? [] : [sql`request.event_id < ${firstIdAt(to)}`]),
  ];
  const where = conditions.length === 0 ? sql`` : sql`WHERE ${sql.join(conditions, sql` AND `)}`;
  return sql`${where} ORDER BY request.event_id DESC LIMIT ${limit} OFFSET ${offset}`;
}

const pageSize = 1000;

export interface PageRange {
  limit?: number | undefined;
  offset: number;
}

/** In pages, so that memory stays constant and a slow reader holds no connection. `limit` and `offset` count rows. */
export async function* readPages<Row>(
  range: PageRange,
  readPage: (page: { after: Row | undefined; limit: number; offset: number }) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  let left = range.limit ?? Number.POSITIVE_INFINITY;
  let offset = range.offset;
  let after: Row | undefined;
  while (left > 0) {
    const limit = Math.min(left, pageSize);
    const rows = await readPage({ after, limit, offset });
    if (rows.length > 0) yield rows;
    if (rows.length < limit) return;
    left -= rows.length;
    offset = 0;
    after = rows.at(-1);
  }
}

/** What a total may take, in milliseconds. */
const countMs = 250;
const cancelled = '57014';

/** How many rows a query has, at most one more than `mostCounted`; null if that takes longer than a list may. */
export async function countRows<Tables, Table extends keyof Tables, Row>(
  db: Db,
  query: SelectQueryBuilder<Tables, Table, Row>,
): Promise<number | null> {
  const counted = sql<{ count: number }>`SELECT count(*)::int AS count FROM (${query.limit(mostCounted + 1)}) AS found`;
  try {
    return await db.transaction().execute(async (transaction) => {
      await sql`SET LOCAL statement_timeout = ${sql.lit(countMs)}`.execute(transaction);
      return (await counted.execute(transaction)).rows[0]?.count ?? 0;
    });
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === cancelled) return null;
    throw error;
  }
}

export function readOldestFirst<Table extends keyof Schema, Row extends { created_at: Date; id: string }>(
  range: PageRange,
  query: SelectQueryBuilder<Schema, Table, Row>,
): AsyncGenerator<Row[]> {
  return readPages<Row>(range, ({ after, limit, offset }) => {
    const rest = after && sql<boolean>`(created_at, id) > (${after.created_at}, ${after.id})`;
    const left = rest === undefined ? query : query.where(rest);
    return left.orderBy(sql`created_at`).orderBy(sql`id`).limit(limit).offset(offset).execute() as Promise<Row[]>;
  });
}

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
      FROM pg_class JOIN pg_inherits ON inhrelid = oid WHERE inhparent = (SELECT oid FROM pg_class WHERE relname = 'events' AND relkind = 'p')
    ) AS partitions
    WHERE bounds[2]::uuid <= ${before}::uuid ORDER BY bounds[1]`.execute(db);
  return rows;
}
