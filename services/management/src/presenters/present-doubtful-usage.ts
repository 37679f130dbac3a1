import type { DoubtfulUsage, DoubtReason } from '@agp/core/contracts';
import { toPublicId } from '@agp/core/ids';
import type { DoubtfulUsageRow } from '@agp/db';

/** A call whose figures are doubted. */
export function presentDoubtfulUsage({ occurred_at, ...row }: DoubtfulUsageRow): DoubtfulUsage {
  return {
    ...row,
    event_id: toPublicId('evt', row.event_id),
    agent_id: toPublicId('agt', row.agent_id),
    started_at: occurred_at.toISOString(),
    reason: row.reason as DoubtReason,
  };
}
