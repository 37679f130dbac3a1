import { z } from 'zod';
import { eventMessageSchema } from '../events/event-message.ts';
import { eventNotesSchema } from '../events/event-notes.ts';
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

const detail = eventMessageSchema.shape;
const notes = eventNotesSchema.required().shape;
const withOutcome = z
  .object({
    outcome: detail.outcome,
    http_status: detail.http_status,
    failure: notes.failure,
    request_id: notes.request_id,
    provider_request_id: detail.provider_request_id,
    pii_scan: z.nullable(detail.pii_scan),
  })
  .partial().shape;

/** Columns of an event that a list has only with `expand=outcome`; null in events that a writer of 0.2.0 recorded. */
export const outcomeNames = Object.keys(withOutcome) as (keyof typeof withOutcome)[];

/** An event in a list of several agents' events. */
export const listedEventSchema = eventSchema
  .extend({ agent_name: agentName, ...withOutcome })
  .meta({ id: 'ListedEvent', description: 'An event in a list' });

export const listedEventListSchema = z.array(listedEventSchema);

export const eventListSchema = z.array(eventSchema);

/** An event in an agent's own list. */
export const agentEventSchema = eventSchema
  .omit({ direction: true, provider: true, total_tokens: true, pii_types: true })
  .meta({ id: 'AgentEvent', description: "An event in its agent's list" });

export const agentEventListSchema = z.array(
  agentEventSchema.extend(withOutcome).meta({
    id: 'ListedAgentEvent',
    description: "An event in its agent's list, with how it ended where that was asked for",
  }),
);

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
