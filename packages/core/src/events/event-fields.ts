import { z } from 'zod';
import { labelName, labelValue, maxLabels } from '../labels.ts';
import { askedSchema, decisionSchema, eventToolsSchema, maxDecisions } from './event-policy.ts';

/** Without NUL, and without half a surrogate pair. */
export function isStorableText(value: string): boolean {
  return !value.includes('\0') && value.isWellFormed();
}

const text = (max: number) => z.string().max(max).refine(isStorableText, 'must not hold NUL or a lone surrogate');
const count = z.int().min(0);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** Session ids of callers that are used unchanged. */
export const sessionIdPattern = /^ses_[A-Za-z0-9_-]{1,64}$/;

/** The compliance tags that a caller or an agent's metadata may set. */
export const complianceTagPattern = /^[a-z0-9][a-z0-9._:-]{0,63}$/;

/** The causes that a writer of 0.3.0 knows: of others it would set the event aside. */
export const knownCauses = [
  'name_not_found',
  'refused',
  'unreachable',
  'connect_timeout',
  'tls',
  'reset',
  'timeout',
  'protocol',
  'other',
] as const;

/** Why a provider could not be reached, or broke off its answer; `proxy`: the egress proxy gave no connection. */
export const failureCauses = [...knownCauses, 'proxy'] as const;

export type FailureCause = (typeof failureCauses)[number];

export const requestIdPattern = /^[\x21-\x7e]{1,128}$/;

export const maxPiiFindings = 100;

/** As events hold it, in UTF-16 units. */
export const maxPriceVersion = 128;

/** The place of one finding of personal data in a call, without its text. */
export const piiFindingSchema = z.object({
  in: z.enum(['request', 'response']),
  message: z.int().min(0).nullable(),
  type: z.string().regex(/^[a-z0-9_]{1,64}$/),
});

export type PiiFinding = z.infer<typeof piiFindingSchema>;

interface Row {
  /**
   * `chain`: a member of the lineage payload, which `build-payload.ts` writes out by hand; `notes`: kept beside it, and left out by a writer
   * that does not know the value; `count`: kept, and never shown.
   */
  in: 'chain' | 'notes' | 'count';
  /** Where the API shows it: in the customer's `Event`, in lists with `expand=outcome`, or in one event's detail alone. */
  shown: 'event' | 'outcome' | 'detail';
  /** The column of `events`, by its Postgres type; `word` is text without anything to escape. Absent if the payload alone has it. */
  column?:
    | 'uuid'
    | 'word'
    | 'text'
    | 'bigint'
    | 'smallint'
    | 'numeric'
    | 'boolean'
    | 'timestamptz'
    | 'text[]'
    | 'jsonb';
  /** Writers tell live streams of it. */
  isAnnounced?: true;
  means?: string;
}

const field = <Schema extends z.ZodType, const Rest extends Row>(schema: Schema, row: Rest) => ({ schema, ...row });
const shown = { in: 'chain', shown: 'event' } as const;
const announced = { ...shown, isAnnounced: true } as const;
const detail = { in: 'chain', shown: 'detail' } as const;

/**
 * An event's fields, each once: the message of a proxy, the columns of `events`, what live streams are told and what the API shows beside
 * the customer's document derive from it. Money is in whole nano-dollars, so that it is added exactly.
 */
export const eventFields = {
  id: field(z.string(), { ...announced, column: 'uuid' }),
  agent_id: field(z.string(), { ...announced, column: 'uuid' }),
  session_id: field(z.string().regex(sessionIdPattern), { ...announced, column: 'word' }),
  /** UTC, ISO 8601 with milliseconds and `Z`; the same millisecond that `id` holds. */
  timestamp: field(z.iso.datetime({ precision: 3 }), { ...announced, column: 'timestamptz' }),
  direction: field(z.enum(['request', 'response']), { ...shown, column: 'word' }),
  model: field(text(256).min(1), { ...announced, column: 'text' }),
  provider: field(text(64).min(1), { ...shown, column: 'text' }),
  prompt_tokens: field(count, { ...announced, column: 'bigint' }),
  completion_tokens: field(count, { ...announced, column: 'bigint' }),
  total_tokens: field(count, { ...shown, column: 'bigint' }),
  /** In the column and in all that is shown `cost_usd`. */
  cost_nano_usd: field(z.int().min(0), { ...shown, column: 'numeric' }),
  compliance_tag: field(z.string().regex(complianceTagPattern), { ...announced, column: 'text' }),
  pii_detected: field(z.boolean(), { ...announced, column: 'boolean' }),
  pii_types: field(z.array(text(64)).max(64), { ...announced, column: 'text[]' }),
  outcome: field(z.enum(['completed', 'failed', 'aborted', 'killed']).nullable(), {
    in: 'chain',
    shown: 'outcome',
    column: 'text',
    isAnnounced: true,
    means:
      '`failed`: the provider answered with an error or not at all; `aborted`: the agent left; `killed`: a block ended it',
  }),
  http_status: field(z.int().min(100).max(999).nullable(), {
    in: 'chain',
    shown: 'outcome',
    column: 'smallint',
    isAnnounced: true,
    means: 'The status that the agent got; null without an answer',
  }),
  failure: field(z.enum(failureCauses).nullable().optional(), {
    in: 'notes',
    shown: 'outcome',
    column: 'text',
    isAnnounced: true,
    means: 'Why the provider could not be reached, or broke off',
  }),
  endpoint: field(text(64).nullable().optional(), {
    in: 'notes',
    shown: 'outcome',
    column: 'text',
    means: 'Which of its endpoints served, of a provider that has several',
  }),
  request_id: field(z.string().regex(requestIdPattern).nullable().optional(), {
    in: 'notes',
    shown: 'outcome',
    column: 'text',
    means: "The caller's `X-Request-Id`, or one that the proxy made. Not unique",
  }),
  provider_request_id: field(text(256).nullable(), {
    in: 'chain',
    shown: 'outcome',
    column: 'text',
    means: "The provider's own id of the request",
  }),
  pii_scan: field(z.enum(['full', 'partial', 'none']).nullable(), {
    in: 'chain',
    shown: 'outcome',
    column: 'text',
    means: '`partial` and `none`: not all, or nothing, was searched, so no finding does not mean no personal data',
  }),
  /** The content bytes as received from and as written to the agent. */
  request_sha256: field(sha256.nullable(), detail),
  response_sha256: field(sha256.nullable(), detail),
  method: field(text(32).nullable(), detail),
  path: field(text(2048).nullable(), { ...detail, means: "The provider's, without query" }),
  requested_model: field(text(256).nullable(), detail),
  source_ip: field(text(64).nullable(), detail),
  duration_ms: field(count.nullable(), detail),
  first_byte_ms: field(count.nullable(), { ...detail, means: 'Until the first byte of the answer' }),
  usage_source: field(z.enum(['provider', 'estimated', 'none']).nullable(), {
    ...detail,
    means: "`provider`: the provider's figures; `estimated`; `none`: nothing was used",
  }),
  price_version: field(text(maxPriceVersion).nullable(), { ...detail, means: 'Prices that the cost comes from' }),
  producer: field(text(128).nullable(), { ...detail, means: 'The proxy process' }),
  producer_seq: field(z.int().min(0).nullable(), { ...detail, means: 'Its count; a gap is a lost event' }),
  policy_version: field(z.int().min(1).nullable().optional(), {
    ...detail,
    means: 'Of the rules that decided; null without policies',
  }),
  decision: field(z.array(decisionSchema).max(maxDecisions).nullable().optional(), {
    ...detail,
    column: 'jsonb',
    means: 'What rules decided of it',
  }),
  tools: field(eventToolsSchema.nullable().optional(), { ...detail, column: 'jsonb' }),
  forwarded_sha256: field(sha256.nullable().optional(), {
    ...detail,
    means: 'Of what went to the provider, if a policy changed it',
  }),
  /** False for the `request` half of a recorded pair: requests are counted once. */
  counts_as_request: field(z.boolean(), { in: 'count', shown: 'detail', column: 'boolean' }),
  pii_findings: field(z.array(piiFindingSchema).max(maxPiiFindings).nullable().optional(), {
    in: 'notes',
    shown: 'detail',
    column: 'jsonb',
    means: 'Where personal data was found: never the text. Null where no places were kept',
  }),
  labels: field(
    z
      .record(z.string().regex(labelName), z.string().regex(labelValue).refine(isStorableText))
      .refine((labels) => Object.keys(labels).length <= maxLabels)
      .nullable()
      .optional(),
    {
      in: 'notes',
      shown: 'detail',
      column: 'jsonb',
      means: "The agent's labels when the request was admitted, by which it is charged; null without any",
    },
  ),
  asked: field(askedSchema.nullable().optional(), { in: 'notes', shown: 'detail', column: 'jsonb' }),
};

export type EventFields = typeof eventFields;
type FieldName = keyof EventFields;

/** Names of the fields whose rows are such. */
export type FieldsWhere<Wanted> = {
  [Name in FieldName]: EventFields[Name] extends Wanted ? Name : never;
}[FieldName];

/** @param wanted members of a row, by name */
export function listFields<const Wanted extends Partial<Row>>(wanted: Wanted): FieldsWhere<Wanted>[] {
  return (Object.keys(eventFields) as FieldName[]).filter((name) => {
    const row: Row = eventFields[name];
    return (Object.keys(wanted) as (keyof Row)[]).every((key) => row[key] === wanted[key]);
  }) as FieldsWhere<Wanted>[];
}

/** Fields with a column, in the order of the table. */
export const columnFields = (Object.keys(eventFields) as FieldName[]).filter(
  (name) => (eventFields[name] as Row).column !== undefined,
) as FieldsWhere<{ column: string }>[];

const mark = ', without ';

/** Says what a cost leaves out: units that were counted and have no price, as many as there is room for. */
export function markUnpriced(priceVersion: string | null, units: Iterable<string>): string | null {
  if (priceVersion === null) return null;
  let marked = priceVersion;
  for (const unit of units) {
    const more = marked + (marked === priceVersion ? mark : '+') + unit;
    if (more.length <= maxPriceVersion) marked = more;
  }
  return marked;
}

/** The units that {@link markUnpriced} noted. */
export function readUnpricedUnits(priceVersion: string | null): string[] {
  const at = priceVersion?.lastIndexOf(mark) ?? -1;
  const units = at < 0 ? [] : (priceVersion?.slice(at + mark.length).split('+') ?? []);
  return units.filter((unit) => /^[a-z0-9_]{1,64}$/.test(unit));
}

/** A unit of a model in lists of what has no price. */
export const nameUnpriced = (model: string, unit: string): string => `${model} without ${unit}`;

/** A model of such a list; `unit` is null if it has no price at all. */
export function readUnpriced(name: string): { model: string; unit: string | null } {
  const [, model = name, unit = null] = /^(.*) without ([a-z0-9_]{1,64})$/s.exec(name) ?? [];
  return { model, unit };
}
