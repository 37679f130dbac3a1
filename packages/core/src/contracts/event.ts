import { z } from 'zod';
import { agentIdSchema } from './agent.ts';
import { timestampSchema } from './timestamp.ts';

export const eventIdSchema = z.string().startsWith('evt_').meta({ example: 'evt_01k9r3v8w5f2q8m6t4n0x7y1zb' });
export const sessionIdSchema = z.string().startsWith('ses_').meta({ example: 'ses_01k9r3v8w5f2q8m6t4n0x7y1zc' });

export const eventSchema = z
  .strictObject({
    id: eventIdSchema,
    agent_id: agentIdSchema,
    session_id: sessionIdSchema,
    timestamp: timestampSchema,
    direction: z.enum(['request', 'response']),
    model: z.string(),
    provider: z.string(),
    prompt_tokens: z.int().min(0),
    completion_tokens: z.int().min(0),
    total_tokens: z.int().min(0),
    cost_usd: z.number().min(0),
    compliance_tag: z.string(),
    lineage_hash: z.string().regex(/^sha256:[0-9a-f]{64}$/),
    pii_detected: z.boolean(),
    pii_types: z.array(z.string()),
  })
  .meta({ id: 'Event', description: 'One request that went through the proxy' });

/** Only where it was asked for. */
const agentName = z.string().optional().meta({ description: 'Only with `expand=agent`' });

/** An event in a list of several agents' events. */
export const listedEventSchema = eventSchema
  .extend({ agent_name: agentName })
  .meta({ id: 'ListedEvent', description: 'An event in a list' });

export const listedEventListSchema = z.array(listedEventSchema);

export const eventListSchema = z.array(eventSchema);

/** An event in an agent's own list. */
export const agentEventSchema = eventSchema
  .omit({ direction: true, provider: true, total_tokens: true, pii_types: true })
  .meta({ id: 'AgentEvent', description: "An event in its agent's list" });

export const agentEventListSchema = z.array(agentEventSchema);

/** An event in a session's detail. */
export const sessionEventSchema = eventSchema
  .omit({ provider: true })
  .meta({ id: 'SessionEvent', description: "An event in its session's detail" });

/** The data of one message on the live stream. */
export const streamEventSchema = eventSchema
  .omit({ direction: true, provider: true, total_tokens: true })
  .extend({ pii_types: z.array(z.string()).min(1).optional(), agent_name: agentName })
  .meta({ id: 'StreamEvent', description: 'The data of one `agent_event`; `pii_types` only when PII was found' });

export type Event = z.infer<typeof eventSchema>;
export type ListedEvent = z.infer<typeof listedEventSchema>;
export type AgentEvent = z.infer<typeof agentEventSchema>;
export type SessionEvent = z.infer<typeof sessionEventSchema>;
export type StreamEvent = z.infer<typeof streamEventSchema>;
