import { z } from 'zod';

/** What the writer tells the management API about one event that Postgres now holds. */
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
 * One batch that a writer has recorded. `announcer` names the writer process and `announcer_seq` counts
 * its announcements from 0, so that a subscriber sees where one was lost.
 */
export const eventAnnouncementSchema = z.object({
  announcer: z.string(),
  announcer_seq: z.int().min(0),
  events: z.array(announcedEventSchema),
});

export type AnnouncedEvent = z.infer<typeof announcedEventSchema>;
export type EventAnnouncement = z.infer<typeof eventAnnouncementSchema>;
