import canonicalize from 'canonicalize';
import type { EventMessage } from '../events/event-message.ts';
import { nanoToUsd } from '../pricing/money.ts';

/**
 * The exact text that an event's lineage hash covers: RFC 8785 canonical JSON of the version 1 members
 * (decisions.md section 4). Members are never added to version 1; what is not known is null.
 */
export function buildPayload(event: EventMessage, seq: number): string {
  const { cost_nano_usd, counts_as_request: _bookkeeping, ...members } = event;
  const payload = canonicalize({ ...members, v: 1, seq, cost_usd: nanoToUsd(cost_nano_usd) });
  if (payload === undefined) throw new TypeError('an event always has a canonical form');
  return payload;
}
