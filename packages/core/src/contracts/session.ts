import { z } from 'zod';
import { agentIdSchema } from './agent.ts';
import { eventIdSchema, sessionEventSchema, sessionIdSchema } from './event.ts';
import { labelListSchema } from './metadata.ts';
import { timestampSchema } from './timestamp.ts';

/** Of a session as many are looked at for failures, the latest: it may have a million. */
export const mostLookedAt = 1_000;

const sessionSchema = z
  .strictObject({
    id: sessionIdSchema,
    agent_id: agentIdSchema,
    agent_name: z.string(),
    started_at: timestampSchema,
    ended_at: timestampSchema,
    duration_ms: z.int().min(0),
    event_count: z.int().min(1),
    total_tokens: z.int().min(0),
    total_cost_usd: z.number().min(0),
    compliance_tag: z.string().meta({ description: "That of the session's latest event" }),
    pii_detected: z.boolean(),
    name: z.string().nullable().optional().meta({
      description: 'As the caller sent it in `X-Session-Id`; null if that is the id. Only with `expand=names`',
    }),
    failed_count: z
      .int()
      .min(0)
      .optional()
      .meta({
        description: `How many of its latest ${mostLookedAt} events \`failed=true\` of the events lists; only with \`expand=failures\` of the list`,
      }),
    labels: labelListSchema.optional().meta({ description: 'Of its agent. Only with `expand=names`' }),
  })
  .meta({ id: 'Session', description: 'The events of one session, summed up' });

export const sessionListSchema = z.array(sessionSchema);

export const sessionDetailSchema = z
  .strictObject({ session: sessionSchema, events: z.array(sessionEventSchema) })
  .meta({ id: 'SessionDetail' });

export type Session = z.infer<typeof sessionSchema>;

const lineageEntrySchema = z
  .strictObject({
    seq: z.int().min(0),
    event_id: eventIdSchema,
    lineage_hash: z.string(),
    payload: z.string().meta({
      description:
        '`lineage_hash` is `sha256:` and the hex SHA-256 of the previous hash (`genesis` for seq 0) followed by these bytes',
    }),
  })
  .meta({ id: 'LineageEntry' });

export const lineageSchema = z
  .strictObject({ session_id: sessionIdSchema, entries: z.array(lineageEntrySchema) })
  .meta({ id: 'Lineage', description: "A session's chain, for checking offline" });

export const lineageVerdictSchema = z
  .strictObject({
    session_id: sessionIdSchema,
    valid: z.boolean(),
    length: z.int().min(0).meta({ description: 'Events that the chain has, removed ones included' }),
    head: z.string().meta({
      description: 'Hash of the last event, whether it is still there or not; `genesis` where there never was one',
    }),
    first_divergence: z.int().min(0).nullable().meta({
      description:
        '`seq` of the first event that is not as it was written, or is missing without having been removed for its age',
    }),
  })
  .meta({ id: 'LineageVerdict' });

const removedLinksSchema = z
  .strictObject({
    first_seq: z.int().min(0),
    last_seq: z.int().min(0),
    lineage_hash: z
      .string()
      .meta({ description: 'Hash of the event at `last_seq`, which the hash of the one behind it covers' }),
  })
  .meta({ id: 'RemovedLinks' });

export const lineageRemovalsSchema = z
  .strictObject({
    session_id: sessionIdSchema,
    removed: z.array(
      removedLinksSchema
        .extend({
          removed_at: timestampSchema.optional().meta({ description: 'Not of removals that had no ids yet' }),
        })
        .meta({ id: 'DatedRemoval' }),
    ),
  })
  .meta({ id: 'LineageRemovals', description: 'Events of a session that were removed for their age, by their places' });

export const anchorListSchema = z
  .array(
    z
      .strictObject({
        removal: z.string().nullable().meta({
          description:
            'Which removal made it: `before.removal` of an entry `events.retention`; null where it was made before these had ids',
        }),
        session_id: sessionIdSchema,
        ...removedLinksSchema.shape,
      })
      .meta({ id: 'Anchor' }),
  )
  .meta({ id: 'AnchorList' });

export type LineageRemovals = z.infer<typeof lineageRemovalsSchema>;
export type LineageVerdict = z.infer<typeof lineageVerdictSchema>;
export type LineageEntry = z.infer<typeof lineageEntrySchema>;
export type Lineage = z.infer<typeof lineageSchema>;
