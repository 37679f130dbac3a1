import { type UnrecordedRequest, unrecordedReasonSchema } from '@agp/core/contracts';
import { uuidTime } from '@agp/core/ids';
import type { UnrecordedRow } from '@agp/db';
import { presentRow } from './present-row.ts';

/** A request that was forwarded and is not recorded. */
export function presentUnrecordedRequest(row: UnrecordedRow): UnrecordedRequest {
  // A later version may know reasons that this one does not.
  const { data: reason = 'unknown' } = unrecordedReasonSchema.safeParse(row.reason);
  const { cost_usd, reason: _, noted_at, ...request } = presentRow(row);
  return { ...request, started_at: new Date(uuidTime(row.event_id)).toISOString(), cost_usd, reason, noted_at };
}
