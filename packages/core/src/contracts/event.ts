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

const { outcome, http_status, failure } = withOutcome;
const ended = { outcome, http_status, failure };

/** Columns of an event that a list has only with `expand=outcome`. */
export const outcomeNames = Object.keys(withOutcome) as (keyof typeof withOutcome)[];

export const listedEventSchema = eventSchema
  .extend({ agent_name: agentName, ...withOutcome })
  .meta({ id: 'ListedEvent', description: 'An event in a list' });

export const listedEventListSchema = z.array(listedEventSchema);

export const eventListSchema = z.array(eventSchema);

const agentEventSchema = eventSchema
  .omit({ direction: true, provider: true, total_tokens: true, pii_types: true })
  .meta({ id: 'AgentEvent', description: "An event in its agent's list" });

export const agentEventListSchema = z.array(
  agentEventSchema.extend(withOutcome).meta({
    id: 'ListedAgentEvent',
    description: "An event in its agent's list, with how it ended where that was asked for",
  }),
);

export const sessionEventSchema = eventSchema
  .omit({ provider: true })
  .extend(withOutcome)
  .meta({ id: 'SessionEvent', description: "An event in its session's detail" });

export const streamEventSchema = eventSchema
  .omit({ direction: true, provider: true, total_tokens: true })
  .extend({ pii_types: z.array(z.string()).min(1).optional(), agent_name: agentName, ...ended })
  .meta({ id: 'StreamEvent', description: 'The data of one `agent_event`; `pii_types` only when PII was found' });

export type Event = z.infer<typeof eventSchema>;
export type ListedEvent = z.infer<typeof listedEventSchema>;
export type AgentEvent = z.infer<typeof agentEventSchema>;
export type SessionEvent = z.infer<typeof sessionEventSchema>;
export type StreamEvent = z.infer<typeof streamEventSchema>;

/** Members of the payload that a listed event does not have, with what they mean. */
const chainedMeanings = {
  outcome:
    '`failed`: the provider answered with an error or not at all; `aborted`: the agent left; `killed`: a block ended it',
  http_status: 'The status that the agent got; null without an answer',
  method: undefined,
  path: "The provider's, without query",
  requested_model: undefined,
  source_ip: undefined,
  duration_ms: undefined,
  first_byte_ms: 'Until the first byte of the answer',
  usage_source: "`provider`: the provider's figures; `estimated`; `none`: nothing was used",
  price_version: 'Prices that the cost comes from',
  pii_scan: '`partial` and `none`: not all, or nothing, was searched, so no finding does not mean no personal data',
  provider_request_id: "The provider's own id of the request",
  request_sha256: undefined,
  response_sha256: undefined,
  producer: 'The proxy process',
  producer_seq: 'Its count; a gap is a lost event',
  policy_version: 'Of the rules that decided; null without policies',
  decision: 'What rules decided of it',
  tools: undefined,
  forwarded_sha256: 'Of what went to the provider, if a policy changed it',
} as const;

type ChainedName = keyof typeof chainedMeanings;

/** Those members by name, null if the payload does not have them or cannot be read. */
export const chainedDetailSchema = z.strictObject(
  Object.fromEntries(
    Object.entries(chainedMeanings).map(([name, description]) => {
      const schema = z.nullable(z.nonoptional(eventMessageSchema.shape[name as ChainedName]));
      return [name, description === undefined ? schema : schema.meta({ description })];
    }),
  ) as { [Name in ChainedName]: z.ZodNullable<z.ZodNonOptional<(typeof eventMessageSchema.shape)[Name]>> },
);

const detailNotes = eventNotesSchema.required().shape;

export const unchainedNames = ['agent_name', 'recorded_at', 'request_id', 'failure', 'pii_findings', 'asked'] as const;

export const eventDetailSchema = eventSchema
  .extend({
    ...chainedDetailSchema.shape,
    agent_name: z.string().nullable(),
    recorded_at: timestampSchema,
    request_id: detailNotes.request_id.meta({
      description: "The caller's `X-Request-Id`, or one that the proxy made. Not unique",
    }),
    failure: detailNotes.failure.meta({ description: 'Why the provider could not be reached, or broke off' }),
    pii_findings: detailNotes.pii_findings.meta({
      description: 'Where personal data was found: never the text. Null where no places were kept',
    }),
    asked: detailNotes.asked,
    not_chained: z.array(z.enum(unchainedNames)).meta({
      description: 'Members that no hash covers: the database alone vouches for them',
    }),
    chain: z
      .strictObject({
        seq: z.int().min(0).meta({ description: "Place in the session's chain" }),
        previous_hash: z.string().nullable().meta({
          description:
            '`genesis` for seq 0; null where it is not among the 2,000 events of the session before and after this one',
        }),
        hash_matches: z.boolean().nullable().meta({
          description: 'Whether `lineage_hash` is that of `previous_hash` and `payload`; null without `previous_hash`',
        }),
        altered: z.array(z.string()).meta({ description: 'Members that are not as the payload has them' }),
        payload: z.string().meta({ description: 'The text that the hash covers' }),
      })
      .meta({
        id: 'EventProof',
        description: 'Place in the chain; `GET /api/v1/lineage/{session_id}/verify` checks all of it',
      }),
  })
  .meta({ id: 'EventDetail', description: 'All that is known of one request' });

export type EventDetail = z.infer<typeof eventDetailSchema>;
export type ChainedDetail = z.infer<typeof chainedDetailSchema>;
