import { CompiledQuery } from 'kysely';
import pg, { type Pool } from 'pg';
import type { Db } from './database.ts';

export const uniqueViolation = '23505';

export interface Changed<Row> {
  before: Row;
  after: Row;
}

/** In the given transaction, or in a new one. */
export function inTransaction<Result>(db: Db, work: (transaction: Db) => Promise<Result>): Promise<Result> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}

/** Answers with a code if what was written is somebody's already; its transaction must be given up then. */
export const ifTaken =
  <Code>(code: Code) =>
  (error: unknown): Code => {
    if (error instanceof pg.DatabaseError && error.code === uniqueViolation) return code;
    throw error;
  };

/** A contract's object as Postgres gives it: `Times` are dates, all other members are columns of the same name. */
export type RowOf<Shown, Times extends keyof Shown> = Omit<Shown, Times> & {
  [Name in Times]: null extends Shown[Name] ? Date | null : Date;
};

/** @param name by which a pool's connections plan it once */
export const readRows = async <Row extends object>(
  from: Db | Pool,
  name: string,
  text: string,
  values: unknown[],
): Promise<Row[]> =>
  'executeQuery' in from
    ? (await from.executeQuery<Row>(CompiledQuery.raw(text, values))).rows
    : (await from.query<Row>({ name, text, values })).rows;
