import { usdToDecimal } from '@agp/core/money';
import type { Selectable } from 'kysely';
import type { Db } from '../database.ts';
import type { Schema } from '../schema.ts';
import { type Changed, inTransaction } from '../statements.ts';

const controlColumns = [
  'paused',
  'global_cap_usd',
  'global_warn_only',
  'default_agent_cap_usd',
  'default_warn_only',
  'default_requests_per_minute',
] as const;

export type ControlRow = Pick<Selectable<Schema['control']>, (typeof controlColumns)[number]>;

export function readControl(db: Db): Promise<ControlRow> {
  return db.selectFrom('control').select(controlColumns).executeTakeFirstOrThrow();
}

/** For requests that are admitted after the commit. New defaults do not change the caps and limits of registered agents. */
export function updateControl(db: Db, change: Partial<ControlRow>): Promise<Changed<ControlRow>> {
  const { global_cap_usd: globalCap, default_agent_cap_usd: defaultCap, ...rest } = change;
  return inTransaction(db, async (transaction) => {
    const before = await transaction.selectFrom('control').select(controlColumns).forUpdate().executeTakeFirstOrThrow();
    const after = await transaction
      .updateTable('control')
      .set({
        ...rest,
        ...(globalCap !== undefined && { global_cap_usd: globalCap === null ? null : usdToDecimal(globalCap) }),
        ...(defaultCap !== undefined && {
          default_agent_cap_usd: defaultCap === null ? null : usdToDecimal(defaultCap),
        }),
      })
      .returning(controlColumns)
      .executeTakeFirstOrThrow();
    return { before, after };
  });
}
