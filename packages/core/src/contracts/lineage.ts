import { z } from 'zod';
import { eventIdSchema, sessionIdSchema } from './event.ts';

/** One link of a session's chain, with the exact text that its hash covers (decisions.md section 4). */
export const lineageEntrySchema = z
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

/** What `GET /api/v1/lineage/{session_id}` answers, in chain order. */
export const lineageSchema = z
  .strictObject({ session_id: sessionIdSchema, entries: z.array(lineageEntrySchema) })
  .meta({ id: 'Lineage', description: "A session's chain, for checking offline" });

export type LineageEntry = z.infer<typeof lineageEntrySchema>;
export type Lineage = z.infer<typeof lineageSchema>;
