import { type BilledProvider, gapCauses, type ReconciledRow } from '@agp/core/contracts';
import { type Selectable, sql } from 'kysely';
import type { Db } from '../database.ts';
import type { Schema } from '../schema.ts';
import { inTransaction } from '../statements.ts';
import { readPages } from './pages.ts';

export type BillReadRow = Selectable<Schema['bill_reads']>;

const amounts = ['recorded', 'billed', ...gapCauses] as const;

/** What is recorded of one model on one UTC day, billed and explained, in nano-dollars. */
export type ReconciledDay = { day: string; model: string } & Record<(typeof amounts)[number], number>;

/** When each provider's bill was read, and why it was not. */
export const listBillReads = (db: Db): Promise<BillReadRow[]> => db.selectFrom('bill_reads').selectAll().execute();

interface Turn {
  at: Date;
  /** A bill that was read since then is not read. */
  readSince: Date;
  /** Nor one that was tried since then. */
  triedSince: Date;
}

/** Whether this process is to read a provider's bill now: no other one begins then. */
export async function takeBillTurn(
  db: Db,
  provider: BilledProvider,
  { at, readSince, triedSince }: Turn,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('bill_reads')
    .values({ provider, tried_at: at })
    .onConflict((known) =>
      known
        .column('provider')
        .doUpdateSet({ tried_at: at })
        .where('bill_reads.tried_at', '<', triedSince)
        .where(sql<boolean>`(bill_reads.read_at IS NULL OR bill_reads.read_at < ${readSince})`),
    )
    .executeTakeFirst();
  return numInsertedOrUpdatedRows > 0n;
}

export async function noteBillFailure(db: Db, provider: BilledProvider, error: string): Promise<void> {
  await db.updateTable('bill_reads').set({ error }).where('provider', '=', provider).execute();
}

/** Puts what was read in the place of what is stored of these days. @param to the day after the last */
export function storeBill(
  db: Db,
  provider: BilledProvider,
  { at, from, to, rows }: { at: Date; from: string; to: string; rows: readonly ReconciledDay[] },
): Promise<void> {
  const columns = sql.raw(amounts.map((name) => `${name}_usd`).join(', '));
  const usd = sql.raw(amounts.map((name) => `${name} * 0.000000001`).join(', '));
  const typed = sql.raw(amounts.map((name) => `${name} numeric`).join(', '));
  return inTransaction(db, async (transaction) => {
    await transaction
      .deleteFrom('billed_days')
      .where('provider', '=', provider)
      .where('day', '>=', from)
      .where('day', '<', to)
      .execute();
    await sql`
      INSERT INTO billed_days (provider, day, model, ${columns})
      SELECT ${provider}, day, model, ${usd}
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS read (day date, model text, ${typed})`.execute(
      transaction,
    );
    await transaction
      .updateTable('bill_reads')
      .set({ read_at: at, error: null })
      .where('provider', '=', provider)
      .execute();
  });
}

/** By day, provider and model, a page at a time. */
export function listReconciled(
  db: Db,
  { from, to, provider }: { from?: Date | undefined; to?: Date | undefined; provider?: BilledProvider | undefined },
): AsyncGenerator<ReconciledRow[]> {
  const begins = sql<Date>`(billed_days.day::timestamp AT TIME ZONE 'UTC')`;
  const query = db
    .selectFrom('billed_days')
    .select([sql<string>`to_char(day, 'YYYY-MM-DD')`.as('day'), 'provider', 'model', 'recorded_usd', 'billed_usd'])
    .select(sql<number>`billed_usd - recorded_usd`.as('gap_usd'))
    .select(gapCauses.map((name) => `${name}_usd` as const))
    .$if(from !== undefined, (asked) => asked.where(begins, '>=', from as Date))
    .$if(to !== undefined, (asked) => asked.where(begins, '<', to as Date))
    .$if(provider !== undefined, (asked) => asked.where('provider', '=', provider as BilledProvider));
  return readPages<ReconciledRow>({ offset: 0 }, ({ after, limit }) =>
    query
      .$if(after !== undefined, (asked) =>
        asked.where(sql<boolean>`(day, provider, model) > (${after?.day}::date, ${after?.provider}, ${after?.model})`),
      )
      .orderBy('billed_days.day')
      .orderBy('provider')
      .orderBy('model')
      .limit(limit)
      .execute(),
  );
}
