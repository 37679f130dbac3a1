import { usdToDecimal } from '@agp/core/money';
import type { Changed } from '../../changed.ts';
import type { Db } from '../../database.ts';
import { inTransaction } from '../../in-transaction.ts';
import { type ControlRow, controlColumns } from './read-control.ts';

/**
 * Changes what holds for all agents, and leaves the rest as it is. Requests that are admitted after the commit see it;
 * agents that are registered already keep the cap and limit that they have.
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
