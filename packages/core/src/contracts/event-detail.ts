import { z } from 'zod';
import { eventMessageSchema } from '../events/event-message.ts';
import { eventNotesSchema } from '../events/event-notes.ts';
import { eventSchema } from './event.ts';
import { timestampSchema } from './timestamp.ts';

/** Members of the payload that an event as it is listed does not have, with what they mean. */
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
} as const;

type ChainedName = keyof typeof chainedMeanings;

/** Those members by name, null where the payload does not have them or cannot be read. */
export const chainedDetailSchema = z.strictObject(
  Object.fromEntries(
    Object.entries(chainedMeanings).map(([name, description]) => {
      const schema = z.nullable(eventMessageSchema.shape[name as ChainedName]);
      return [name, description === undefined ? schema : schema.meta({ description })];
    }),
  ) as { [Name in ChainedName]: z.ZodNullable<(typeof eventMessageSchema.shape)[Name]> },
);

const notes = eventNotesSchema.required().shape;

/** Members of a detail that no hash covers. */
export const unchainedNames = ['agent_name', 'recorded_at', 'request_id', 'failure', 'pii_findings'] as const;

/** The answer of `GET /api/v1/events/{id}/detail`. */
export const eventDetailSchema = eventSchema
  .extend({
    ...chainedDetailSchema.shape,
    agent_name: z.string().nullable(),
    recorded_at: timestampSchema,
    request_id: notes.request_id.meta({
      description: "The caller's `X-Request-Id`, or one that the proxy made. Not unique. Null in events of 0.2.0",
    }),
    failure: notes.failure.meta({ description: 'Why the provider could not be reached, or broke off' }),
    pii_findings: notes.pii_findings.meta({
      description: 'Where personal data was found: never the text. Null where no places were kept',
    }),
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
