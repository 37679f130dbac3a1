import { randomUUIDv7 } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import type { Db } from '../database.ts';
import type { Schema } from '../schema.ts';

export type ViewRow = Selectable<Schema['console_views']>;

/** One's own and those of all, by name. */
export function listViews(db: Db, owner: string): Promise<ViewRow[]> {
  return db
    .selectFrom('console_views')
    .selectAll()
    .where((is) => is.or([is('owner', 'is', null), is('owner', '=', owner)]))
    .orderBy(sql`name COLLATE "C"`)
    .orderBy('id')
    .execute();
}

/** Saves a view in place of one of the same name. @param most that its owner, or all together, may have */
export async function saveView(
  transaction: Db,
  { owner, screen, name, query }: Pick<ViewRow, 'owner' | 'screen' | 'name' | 'query'>,
  most: number,
): Promise<{ before: ViewRow | undefined; after: ViewRow } | 'too_many_views'> {
  // One after another, so that they are counted exactly and none meets a name that another has just taken.
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`view ${owner}`}, 0))`.execute(transaction);
  const isOwn = sql<boolean>`owner IS NOT DISTINCT FROM ${owner}`;
  const before = await transaction
    .deleteFrom('console_views')
    .where(isOwn)
    .where('screen', '=', screen)
    .where('name', '=', name)
    .returningAll()
    .executeTakeFirst();
  const kept = await transaction.selectFrom('console_views').select('id').where(isOwn).limit(most).execute();
  if (kept.length >= most) return 'too_many_views';
  const after = await transaction
    .insertInto('console_views')
    .values({ id: before?.id ?? randomUUIDv7(), owner, screen, name, query })
    .returningAll()
    .executeTakeFirstOrThrow();
  return { before, after };
}

/** Undefined if there is none that one sees. */
export function deleteView(db: Db, id: string, owner: string): Promise<ViewRow | undefined> {
  return db
    .deleteFrom('console_views')
    .where('id', '=', id)
    .where((is) => is.or([is('owner', 'is', null), is('owner', '=', owner)]))
    .returningAll()
    .executeTakeFirst();
}
