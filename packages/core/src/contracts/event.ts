import { z } from 'zod';
import { type EventFields, eventFields, type FieldsWhere, listFields } from '../events/event-fields.ts';
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

/** As the API shows them: never absent, null if they do not apply. */
function schemasOf<const Names extends readonly (keyof EventFields)[]>(names: Names) {
  const shown = names.map((name) => {
    const { schema, means } = eventFields[name] as { schema: z.ZodType; means?: string };
    const present = z.nullable(schema instanceof z.ZodOptional ? schema.unwrap() : schema);
    return [name, means === undefined ? present : present.meta({ description: means })] as const;
  });
  return Object.fromEntries(shown) as {
    [Name in Names[number]]: z.ZodNullable<z.ZodNonOptional<EventFields[Name]['schema']>>;
  };
}

const outcomeFields = listFields({ shown: 'outcome' });
const withOutcome = z.object(schemasOf(outcomeFields)).partial().shape;

const { outcome, http_status, failure } = withOutcome;
const ended = { outcome, http_status, failure };

/** Columns of an event that a list has only with `expand=outcome`. */
export const outcomeNames: readonly FieldsWhere<{ shown: 'outcome' }>[] = outcomeFields;

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

const ofChain = [...listFields({ in: 'chain', shown: 'outcome' }), ...listFields({ in: 'chain', shown: 'detail' })];

/** Members of the payload that a listed event does not have, null if the payload does not have them or cannot be read. */
export const chainedDetailSchema = z.strictObject(schemasOf(ofChain));

const notes = listFields({ in: 'notes' });

/** Members that no hash covers. */
export const unchainedNames = ['agent_name', 'recorded_at', ...notes] as const;

export const eventDetailSchema = eventSchema
  .extend({
    ...chainedDetailSchema.shape,
    agent_name: z.string().nullable(),
    recorded_at: timestampSchema,
    ...schemasOf(notes),
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

/** Events that failed, whose sessions a list may be narrowed to. */
export const mostFailed = 10_000;

export const failedSessions = z
  .enum(['true'])
  .optional()
  .meta({
    type: 'boolean',
    description: `Only those of the latest ${mostFailed} events that failed, of the agent and between \`from\` and \`to\` if these are given`,
  });
