import type { CallHead } from '../call-head.ts';
import type { MeteringParts } from '../metering-parts.ts';
import { type InspectedBody, inspectBody } from '../request/inspect-body.ts';
import { boundReservation } from './bound-reservation.ts';
import { estimateReservation } from './estimate-reservation.ts';

/**
 * The amount that a request reserves, in whole nano-dollars: in strict mode, under a cap that refuses, the most that it may cost;
 * else an estimate.
 *
 * @param isHeld the request is under a cap that refuses
 * @throws ApiError `cost_not_bounded`
 */
export function computeReservation(
  parts: MeteringParts,
  head: CallHead,
  body: InspectedBody | null,
  isHeld: boolean,
): number {
  if (!parts.isStrict || !isHeld) return estimateReservation(parts, head, body);
  return boundReservation(parts, head, bounded(head, body));
}

/** The cap may have been set after the body was read. */
function bounded(head: CallHead, body: InspectedBody | null): InspectedBody | null {
  if (body === null || head.operation === null || head.operation.isFree || body.strict !== null) return body;
  return inspectBody(head.operation, head, body.bytes, body.form, { mustTell: false, mustBound: true });
}
