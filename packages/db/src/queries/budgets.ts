import { type Charge, never } from '@agp/budgets';
import { CompiledQuery, sql } from 'kysely';
import type { Pool } from 'pg';
import type { Db } from '../database.ts';
import { toPlainArray, toTextArray } from '../record-events/array-literals.ts';
import { changeDocuments, type DocumentRow } from './documents.ts';

/** A count that was given up begins anew, apart from what it had. */
export function beginAnew(db: Db, id: string): Promise<DocumentRow<'budget'> | undefined> {
  return changeDocuments(db, 'budget', (transaction) =>
    transaction
      .updateTable('budgets')
      .set({ epoch: sql<number>`epoch + 1`, updated_at: sql<Date>`clock_timestamp()` })
      .where('id', '=', id)
      .where(sql<boolean>`active_epoch IS DISTINCT FROM epoch`)
      .returningAll()
      .executeTakeFirst(),
  );
}

const toTime = (ms: number) => (ms >= never ? 'infinity' : new Date(ms).toISOString());

/** Texts of `askedSql`'s parameters, made once for each list of charges, which many requests share. */
const texts = new WeakMap<readonly Charge[], string[]>();

export function listAsked(charges: readonly Charge[]): string[] {
  const known = texts.get(charges);
  if (known !== undefined) return known;
  const made = [
    toPlainArray(charges.map(({ scope }) => scope)),
    toPlainArray(charges.map(({ stored }) => stored.id)),
    toPlainArray(charges.map(({ stored }) => stored.epoch)),
    toTextArray(charges.map(({ key }) => key)),
    toPlainArray(charges.map(({ window }) => toTime(window.from))),
    toPlainArray(charges.map(({ window }) => toTime(window.to))),
    toPlainArray(charges.map(({ unit }) => unit)),
  ];
  texts.set(charges, made);
  return made;
}

/** What is used of windows, recorded or kept as unrecorded, in whole steps between commas; its parameters are `listAsked`, from `first` on. */
export const usedSql = (first: number): string => `
  SELECT string_agg(trunc(coalesce((
      SELECT sum(CASE asked.unit WHEN 'usd' THEN cost_usd * 1e9 WHEN 'tokens' THEN tokens ELSE requests END)
      FROM budget_spend AS spend
      WHERE spend.budget_id = asked.budget_id AND spend.epoch = asked.epoch AND spend.key = asked.key
        AND spend.starts_at >= asked.starts_at AND spend.starts_at < asked.ends_at
    ), 0) + coalesce((
      SELECT sum((charges->>asked.scope)::numeric) FROM unrecorded_spend
      WHERE charges ? asked.scope AND day >= (asked.starts_at AT TIME ZONE 'UTC')::date
    ), 0))::text, ',' ORDER BY asked.position)
  FROM unnest(${['text', 'uuid', 'integer', 'text', 'timestamptz', 'timestamptz', 'text']
    .map((type, at) => `$${first + at}::${type}[]`)
    .join(', ')}) WITH ORDINALITY AS asked (scope, budget_id, epoch, key, starts_at, ends_at, unit, position)`;

export function readAmounts(text: string | null): number[] {
  const amounts: number[] = [];
  if (text !== null) for (const each of text.split(',')) amounts.push(Number(each));
  return amounts;
}

const usedText = `SELECT (${usedSql(1)}) AS used`;

/** What is used of the windows of charges, in whole steps of their units, in their order. */
export async function readUsed(from: Db | Pool, charges: readonly Charge[]): Promise<number[]> {
  const values = listAsked(charges);
  const { rows } = await ('executeQuery' in from
    ? from.executeQuery<{ used: string | null }>(CompiledQuery.raw(usedText, values))
    : from.query<{ used: string | null }>({ name: 'read-used', text: usedText, values }));
  return readAmounts(rows[0]?.used ?? null);
}

/** Whoever used most of a budget's window. */
export interface BudgetUseRow {
  /** Of the budget, in the order that was asked. */
  position: number;
  key: string;
  count: number;
}

/** Those that used at least so much of the windows of budgets, as it was recorded, in steps of their units; at most `limit` of each. */
export async function listFullUse(
  db: Db,
  asked: readonly { charge: Charge; least: number }[],
  limit: number,
): Promise<Pick<BudgetUseRow, 'position' | 'key'>[]> {
  const charges = asked.map(({ charge }) => charge);
  const { rows } = await sql<Pick<BudgetUseRow, 'position' | 'key'>>`
    SELECT asked.position::integer - 1 AS position, used.key
    FROM unnest(${charges.map(({ stored }) => stored.id)}::uuid[], ${charges.map(({ stored }) => stored.epoch)}::integer[],
      ${charges.map(({ window }) => toTime(window.from))}::timestamptz[], ${charges.map(({ window }) => toTime(window.to))}::timestamptz[],
      ${charges.map(({ unit }) => unit)}::text[], ${asked.map(({ least }) => least)}::float8[])
      WITH ORDINALITY AS asked (id, epoch, starts_at, ends_at, unit, least, position)
    CROSS JOIN LATERAL (
      SELECT key, sum(CASE asked.unit WHEN 'usd' THEN cost_usd * 1e9 WHEN 'tokens' THEN tokens ELSE requests END) AS used
      FROM budget_spend AS spend WHERE spend.budget_id = asked.id AND spend.epoch = asked.epoch
        AND spend.starts_at >= asked.starts_at AND spend.starts_at < asked.ends_at
      GROUP BY key HAVING sum(CASE asked.unit WHEN 'usd' THEN cost_usd * 1e9 WHEN 'tokens' THEN tokens ELSE requests END) >= asked.least
      ORDER BY used DESC, key LIMIT ${limit}
    ) AS used`.execute(db);
  return rows;
}

/** Those that used most of the windows of budgets, at most `limit` of each. @param asked one place of each budget, whatever its key */
export async function listBudgetUse(db: Db, asked: readonly Charge[], limit: number): Promise<BudgetUseRow[]> {
  const { rows } = await sql<BudgetUseRow>`
    SELECT asked.position::integer - 1 AS position, used.key, used.count
    FROM unnest(${asked.map(({ stored }) => stored.id)}::uuid[], ${asked.map(({ stored }) => stored.epoch)}::integer[],
      ${asked.map(({ window }) => toTime(window.from))}::timestamptz[], ${asked.map(({ window }) => toTime(window.to))}::timestamptz[],
      ${asked.map(({ unit }) => unit)}::text[]) WITH ORDINALITY AS asked (id, epoch, starts_at, ends_at, unit, position)
    CROSS JOIN LATERAL (
      SELECT key, count(*) OVER ()::integer AS count FROM (
        SELECT key, sum(CASE asked.unit WHEN 'usd' THEN cost_usd WHEN 'tokens' THEN tokens ELSE requests END) AS used
        FROM budget_spend AS spend WHERE spend.budget_id = asked.id AND spend.epoch = asked.epoch
          AND spend.starts_at >= asked.starts_at AND spend.starts_at < asked.ends_at
        GROUP BY key
      ) AS spent ORDER BY spent.used DESC, key LIMIT ${limit}
    ) AS used`.execute(db);
  return rows;
}
