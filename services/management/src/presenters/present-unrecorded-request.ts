import { type UnrecordedRequest, unrecordedReasonSchema } from '@agp/core/contracts';
import { toPublicId, uuidTime } from '@agp/core/ids';
import type { UnrecordedRow } from '@agp/db';

/** A request that was forwarded and is not recorded. */
export function presentUnrecordedRequest(row: UnrecordedRow): UnrecordedRequest {
  // A later version may know reasons that this one does not.
  const { data: reason = 'unknown' } = unrecordedReasonSchema.safeParse(row.reason);
  return {
    event_id: toPublicId('evt', row.event_id),
    agent_id: toPublicId('agt', row.agent_id),
    agent_name: row.agent_name,
    session_id: row.session_id,
    provider: row.provider,
    model: row.model,
    started_at: new Date(uuidTime(row.event_id)).toISOString(),
    cost_usd: row.cost_usd,
    reason,
    noted_at: row.noted_at?.toISOString() ?? null,
  };
}
