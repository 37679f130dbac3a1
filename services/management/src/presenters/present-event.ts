import type { AgentEvent, Event, SessionEvent, StreamEvent } from '@agp/core/contracts';
import type { AnnouncedEvent } from '@agp/core/events';
import { toPublicId } from '@agp/core/ids';
import type { EventRow } from '@agp/db';

/** An event with all its fields (interface.md section 2.2). */
export function presentEvent(row: EventRow): Event {
  return {
    id: toPublicId('evt', row.id),
    agent_id: toPublicId('agt', row.agent_id),
    session_id: row.session_id,
    timestamp: row.timestamp.toISOString(),
    direction: row.direction,
    model: row.model,
    provider: row.provider,
    prompt_tokens: row.prompt_tokens,
    completion_tokens: row.completion_tokens,
    total_tokens: row.total_tokens,
    cost_usd: row.cost_usd,
    compliance_tag: row.compliance_tag,
    lineage_hash: row.lineage_hash,
    pii_detected: row.pii_detected,
    pii_types: row.pii_types,
  };
}

/** An event in its agent's list, with the fields that rule 2 leaves. */
export function presentAgentEvent(row: EventRow): AgentEvent {
  const { direction, provider, total_tokens, pii_types, ...shown } = presentEvent(row);
  return shown;
}

/** An event in its session's detail. */
export function presentSessionEvent(row: EventRow): SessionEvent {
  const { provider, ...shown } = presentEvent(row);
  return shown;
}

/** An event on the live stream. */
export function presentStreamEvent(event: AnnouncedEvent): StreamEvent {
  const { pii_types, ...shown } = event;
  return pii_types.length > 0 ? { ...shown, pii_types } : shown;
}
