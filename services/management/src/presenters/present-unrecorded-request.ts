import { type UnrecordedRequest, unrecordedReasonSchema } from '@agp/core/contracts';
import { uuidTime } from '@agp/core/ids';
import type { UnrecordedRow } from '@agp/db';
import { presentRow } from './present-row.ts';

/** A request that was forwarded and is not recorded. */
export function presentUnrecordedRequest(row: UnrecordedRow): UnrecordedRequest {
  // A later version may know reasons that this one does not.
  const { data: reason = 'unknown' } = unrecordedReasonSchema.safeParse(row.reason);
  const { cost_usd, reason: _, noted_at, ...request } = presentRow(row);
  const started_at = new Date(uuidTime(row.event_id)).toISOString();
  // Quarantine keeps an event that was set aside.
  return { ...request, started_at, cost_usd, reason, outcome: reason === 'set_aside' ? null : 'lost', noted_at };
}
