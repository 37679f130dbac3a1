import { type SelectQueryBuilder, sql } from 'kysely';
import type { Schema } from '../../schema.ts';
import { type PageRange, readPages } from './read-pages.ts';

/** Reads the rows of a query over one table in pages, oldest first, ties by id. */
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
