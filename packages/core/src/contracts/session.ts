import { z } from 'zod';
import { agentIdSchema } from './agent.ts';
import { sessionEventSchema, sessionIdSchema } from './event.ts';
import { timestampSchema } from './timestamp.ts';

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
  })
  .meta({ id: 'Session', description: 'The events of one session, summed up' });

export const sessionListSchema = z.array(sessionSchema);

export const sessionDetailSchema = z
  .strictObject({ session: sessionSchema, events: z.array(sessionEventSchema) })
  .meta({ id: 'SessionDetail' });

export type Session = z.infer<typeof sessionSchema>;
