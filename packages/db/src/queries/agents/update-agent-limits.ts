import { usdToDecimal } from '@agp/core/money';
import type { Changed } from '../../changed.ts';
import type { Db } from '../../database.ts';
import { inTransaction } from '../../in-transaction.ts';
import { type AgentLimitsRow, agentLimitsColumns } from './list-agent-limits.ts';

export type AgentLimitsChange = Partial<Pick<AgentLimitsRow, 'daily_cap_usd' | 'warn_only' | 'requests_per_minute'>>;

/**
 * Changes an agent's cap or limit, for requests that are admitted after the commit. `updated_at` stays: it is about status and
 * metadata only.
 *
 * @param id UUID
 * @returns undefined for an unknown agent
 */
export function updateAgentLimits(
  db: Db,
  id: string,
  change: AgentLimitsChange,
): Promise<Changed<AgentLimitsRow> | undefined> {
  const { daily_cap_usd: cap, ...rest } = change;
  return inTransaction(db, async (transaction) => {
    const before = await transaction
      .selectFrom('agents')
      .select(agentLimitsColumns)
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (before === undefined) return undefined;
    const after = await transaction
      .updateTable('agents')
      .set({ ...rest, ...(cap !== undefined && { daily_cap_usd: cap === null ? null : usdToDecimal(cap) }) })
      .where('id', '=', id)
      .returning(agentLimitsColumns)
      .executeTakeFirstOrThrow();
    return { before, after };
  });
}
