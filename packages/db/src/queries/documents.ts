import { randomUUIDv7 } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Team } from '@agp/core/contracts';
import { sql } from 'kysely';
import type { Db } from '../database.ts';
import { type Changed, ifTaken, inTransaction } from '../statements.ts';
import { changedAt, type DocumentConflict, type DocumentName, type DocumentRow, kindOf } from './document-kinds.ts';

export type { DocumentConflict, DocumentName, DocumentRow } from './document-kinds.ts';

/** A document, and what is kept beside it. */
export interface WrittenDocument {
  document: { readonly name: string; readonly [member: string]: unknown };
  /** As it was written; null if it was JSON. Absent if its kind keeps no text. */
  text?: string | null;
  /** What is never shown. Absent if its kind has none. */
  secrets?: Readonly<Record<string, string>>;
}

/** How many there may be of this team, or of the whole installation. */
export interface Quota {
  most: number;
  team: Team | null;
}

/** The table of one kind stands for all: they have these columns in common. */
const asOne = (table: string) => table as 'policies';

export function listDocuments<Name extends DocumentName>(db: Db, name: Name): Promise<DocumentRow<Name>[]> {
  const { table } = kindOf(name);
  return db.selectFrom(asOne(table)).selectAll().orderBy(sql`name COLLATE "C"`).execute() as Promise<never>;
}

export function readDocument<Name extends DocumentName>(
  db: Db,
  name: Name,
  id: string,
): Promise<DocumentRow<Name> | undefined> {
  const { table } = kindOf(name);
  return db.selectFrom(asOne(table)).selectAll().where('id', '=', id).executeTakeFirst() as Promise<never>;
}

const toColumns = (column: string, { document, text, secrets }: WrittenDocument) => ({
  ...{ name: document.name, [column]: JSON.stringify(document) },
  ...(text !== undefined && { text }),
  ...(secrets !== undefined && { secrets: JSON.stringify(secrets) }),
});

/** Changes of one kind wait for each other, and each raises the version that requests read; one that is rolled back does not. */
export function changeDocuments<Result>(
  db: Db,
  name: DocumentName,
  change: (transaction: Db) => Promise<Result>,
): Promise<Result> {
  const { locks, raises } = kindOf(name).kind;
  return inTransaction(db, async (transaction) => {
    await locks?.execute(transaction);
    if (raises !== undefined)
      await transaction
        .updateTable('control')
        .set({ [raises]: sql<number>`${sql.ref(raises)} + 1` })
        .execute();
    return change(transaction);
  });
}

/** What requests are held to follows at once, for budgets once what their window holds is summed up. */
export function createDocument<Name extends DocumentName>(
  db: Db,
  name: Name,
  written: WrittenDocument,
  { most, team }: Quota,
): Promise<DocumentRow<Name> | DocumentConflict> {
  const { table, column, kind } = kindOf(name);
  return changeDocuments(db, name, async (transaction) => {
    const known = await listDocuments(transaction, name);
    if (known.some((each) => each.name === written.document.name)) return { code: kind.taken };
    const conflict = await kind.findConflict?.(transaction, written.document, known);
    if (conflict != null) return conflict;
    const own = known.filter((row) => isDeepStrictEqual('team' in row ? row.team : null, team));
    if (own.length >= most) return { code: kind.full };
    const row = await transaction
      .insertInto(asOne(table))
      .values({ id: randomUUIDv7(), ...toColumns(column, written) } as never)
      // A team does not see others'.
      .onConflict((taken) => taken.column('name').doNothing())
      .returningAll()
      .executeTakeFirst();
    return (row as DocumentRow<Name> | undefined) ?? { code: kind.taken };
  });
}

/** Undefined for an unknown one. @param make gets what is stored, once nobody else can change it */
export function replaceDocument<Name extends DocumentName>(
  db: Db,
  name: Name,
  id: string,
  make: (before: DocumentRow<Name>) => WrittenDocument,
): Promise<Changed<DocumentRow<Name>> | DocumentConflict | undefined> {
  const { table, column, kind } = kindOf(name);
  return changeDocuments(db, name, async (transaction) => {
    const known = await listDocuments(transaction, name);
    const before = known.find((row) => row.id === id);
    if (before === undefined) return undefined;
    const written = make(before);
    const others = known.filter((row) => row !== before);
    if (others.some((row) => row.name === written.document.name)) return { code: kind.taken };
    const conflict = await kind.findConflict?.(transaction, written.document, others);
    if (conflict != null) return conflict;
    const after = (await transaction
      .updateTable(asOne(table))
      .set({
        ...(toColumns(column, written) as object),
        ...kind.addChanges?.(before, written.document),
        ...{ version: sql<number>`version + 1`, updated_at: changedAt },
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()) as DocumentRow<Name>;
    await kind.whenReplaced?.(transaction, before, after);
    return { before, after };
  }).catch((error) => ({ code: ifTaken(kind.taken)(error) }));
}

/** Undefined for an unknown one. */
export function deleteDocument<Name extends DocumentName>(
  db: Db,
  name: Name,
  id: string,
): Promise<DocumentRow<Name> | DocumentConflict | undefined> {
  const { table, kind } = kindOf(name);
  return changeDocuments(db, name, async (transaction) => {
    const row = await readDocument(transaction, name, id);
    if (row === undefined) return undefined;
    const conflict = await kind.beforeDeleted?.(transaction, row);
    if (conflict != null) return conflict;
    await transaction.deleteFrom(asOne(table)).where('id', '=', id).execute();
    return row;
  });
}
