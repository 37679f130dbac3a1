import { usdToDecimal } from '@agp/core/money';
import type { Changed } from '../../changed.ts';
import type { Db } from '../../database.ts';
import { inTransaction } from '../../in-transaction.ts';
import { type ControlRow, controlColumns } from './read-control.ts';

/**
 * Changes the given settings for all agents, for requests that are admitted after the commit. New defaults do not change the caps and
 * limits of registered agents.
 */
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
