import { z } from 'zod';
import { nanoToUsd } from '../money.ts';
import type { EventMessage } from './event-message.ts';

/** The message by which a writer announces to the management API an event that is now in Postgres. */
const announcedEventSchema = z.object({
  id: z.string(),
  agent_id: z.string(),
  session_id: z.string(),
  timestamp: z.string(),
  model: z.string(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  cost_usd: z.number(),
  compliance_tag: z.string(),
  lineage_hash: z.string(),
  pii_detected: z.boolean(),
  pii_types: z.array(z.string()),
});

/**
 * One batch that a writer has recorded. `announcer` names the writer process and `announcer_seq` counts its announcements from 0, so
 * that a subscriber notices a lost one.
 */
export const eventAnnouncementSchema = z.object({
  announcer: z.string(),
  announcer_seq: z.int().min(0),
  events: z.array(announcedEventSchema),
});

export type AnnouncedEvent = z.infer<typeof announcedEventSchema>;
export type EventAnnouncement = z.infer<typeof eventAnnouncementSchema>;

export function toAnnouncedEvent(event: EventMessage, lineageHash: string): AnnouncedEvent {
  return {
    id: event.id,
    agent_id: event.agent_id,
    session_id: event.session_id,
    timestamp: event.timestamp,
    model: event.model,
    prompt_tokens: event.prompt_tokens,
    completion_tokens: event.completion_tokens,
    cost_usd: nanoToUsd(event.cost_nano_usd),
    compliance_tag: event.compliance_tag,
    lineage_hash: lineageHash,
    pii_detected: event.pii_detected,
    pii_types: event.pii_types,
  };
}
