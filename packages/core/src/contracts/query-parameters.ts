import { z } from 'zod';
import { errorTable } from '../errors.ts';
import { eventFields, isStorableText, requestIdPattern } from '../events/event-fields.ts';
import { decisionActions } from '../events/event-policy.ts';
import { fromPublicId } from '../ids.ts';
import { agentStatusSchema, isPrintableText } from './agent.ts';
import { failedSessions, outcomeNames } from './event.ts';
import { forwardFault, isForward, timeParameterSchema, timeRange } from './timestamp.ts';

export const maxPageSize = 1000;

/** Digits, within a range that the message names. */
export function wholeNumber(range: string, { min, max }: { min: number; max: number }) {
  const message = `must be a whole number ${range}`;
  const text = z.string().regex(/^\d{1,15}$/, message);
  return text.transform(Number).pipe(z.int().min(min, message).max(max, message));
}

const limit = wholeNumber(`from 1 to ${maxPageSize}`, { min: 1, max: maxPageSize }).meta({
  type: 'integer',
  minimum: 1,
  maximum: maxPageSize,
  description: 'Most entries in the answer',
});

const offset = wholeNumber('of at least 0', { min: 0, max: Number.MAX_SAFE_INTEGER })
  .default(0)
  .meta({
    type: 'integer',
    minimum: 0,
    description: 'Entries to leave out at the start',
    // zod-openapi omits the default of a transformed value unless it is repeated here.
    override: { default: 0 },
  });

const flag = z
  .enum(['true', 'false'])
  .transform((value) => value === 'true')
  .meta({ type: 'boolean' });

const text = z.string().max(256).refine(isStorableText, 'must not hold NUL');

const paging = { limit: limit.optional(), offset };

/** @param fallback how many entries are on a page if the caller does not say */
export const pageParameters = (fallback: number) => ({
  limit: limit.default(fallback).meta({ override: { default: fallback } }),
  offset,
});

const labelled = (description: string) =>
  text
    .regex(/^[^=]+(?:=.+)?$/, 'must be a label, such as team, or one with its value, such as team=sales')
    .optional()
    .meta({ description, example: 'team=sales' });

const label = labelled('Only of agents with this label, a string member of their metadata, or with this value of it');

export const agentListQuerySchema = z.object({
  status: agentStatusSchema.optional().meta({ description: 'Only agents with this status' }),
  ...paging,
  search: text.optional().meta({ description: 'Only agents whose name has this text in it, in any case' }),
  label,
  order: z
    .enum(['created', 'name', 'cost', 'seen'])
    .default('created')
    .meta({
      description:
        'Oldest first; by name; the dearest of this UTC day first; the latest seen first. At most 1000 agents unless by `created`',
      override: { default: 'created' },
    }),
  expand: z
    .enum(['usage'])
    .optional()
    .meta({ description: '`usage` adds to each agent when it was last seen, its cap, and what it used today' }),
});

export const agentLabelListQuerySchema = z.object({
  search: text.optional().meta({ description: 'Only labels with this text in `name=value`, in any case' }),
});

export const wholeListQuerySchema = z.object(paging);

export const budgetListQuerySchema = z.object({
  ...paging,
  search: text.optional().meta({ description: 'Only agents whose name has this text in it, in any case' }),
  label,
  capped: z.enum(['true']).optional().meta({ type: 'boolean', description: 'Only agents with a cap' }),
  order: z
    .enum(['created', 'use'])
    .default('created')
    .meta({
      description:
        'Oldest first, or those first that have used most of their cap today, then the dearest. By `use` at most 1000 agents, and no retired ones',
      override: { default: 'created' },
    }),
});

const cursorMeta = { description: 'Where the page before ended; taken from its `Link` header' };
const cursorFault = 'must be one that a Link header gave';

/** The start of the page's last session in milliseconds since 1970, and that session's id. */
const sessionCursor = z
  .string()
  .transform((text, context) => {
    const [, ms, id] = /^(-?\d{1,15})\.(ses_[A-Za-z0-9_-]{1,64})$/.exec(text) ?? [];
    if (ms !== undefined && id !== undefined && Math.abs(Number(ms)) < 8.64e15)
      return { started_at: new Date(Number(ms)), id };
    context.addIssue(cursorFault);
    return z.NEVER;
  })
  .meta(cursorMeta);

export function writeSessionCursor({ started_at, id }: { started_at: Date; id: string }): string {
  return `${started_at.getTime()}.${id}`;
}

/** Beyond it, a list only says that there are more. */
export const mostCounted = 10_000;

const total = z
  .enum(['true'])
  .optional()
  .meta({
    description: `With it, the header \`X-Total\` says how many match on all pages, \`>${mostCounted}\` if there are more; it is missing if they are not counted within a quarter of a second`,
  });

const expandNames = '`names` adds `name`, and the `labels` of its agent';

export const sessionListQuerySchema = z
  .object({
    ...paging,
    cursor: sessionCursor.optional(),
    agent_id: z.string().optional().meta({ description: 'Only sessions of this agent' }),
    name: text.optional().meta({ description: 'Only those that their caller gave this name', example: 'march-close' }),
    label,
    failed: failedSessions,
    ...timeRange('sessions that began', 'at'),
    total,
    expand: z
      .enum(['names', 'failures', 'names,failures', 'failures,names'])
      .optional()
      .meta({ description: `${expandNames}, \`failures\` \`failed_count\`` }),
  })
  .refine(isForward, forwardFault);

const expandOutcome = `\`outcome\` adds ${outcomeNames.map((name) => `\`${name}\``).join(', ')} to each event`;

const expand = z
  .enum(['agent', 'outcome', 'agent,outcome', 'outcome,agent'])
  .optional()
  .meta({ description: `\`agent\` adds \`agent_name\`, ${expandOutcome}` });

const requestId = z
  .string()
  .regex(requestIdPattern, 'must be 1 to 128 printable ASCII characters without spaces')
  .optional();

/** `404`, or `4xx` for all from 400 to 499. */
const httpStatus = z
  .string()
  .regex(/^[1-5](\d\d|xx)$/, 'must be a status such as 404, or a class such as 4xx')
  .transform((status) => ({ from: Number(status.replace('xx', '00')), to: Number(status.replace('xx', '99')) }))
  .optional()
  .meta({ description: 'Only events whose agent got this status, or one of this class', example: '5xx' });

const eventFilters = {
  ...timeRange('events'),
  recorded_after: timeParameterSchema.optional().meta({
    description: 'Only events recorded after this time, which is later than their timestamp: for backfilling',
  }),
  model: text.optional().meta({ description: 'Only events of this model' }),
  provider: text.optional().meta({ description: 'Only events of this provider' }),
  compliance_tag: text.optional().meta({ description: 'Only events with this compliance tag' }),
  label: labelled('Only events whose agent had this label when they were admitted, or this value of it'),
  pii_detected: flag.optional().meta({ description: 'Only events with personal data' }),
  pii_type: text.optional().meta({ description: 'Only events with personal data of this kind', example: 'email' }),
  outcome: eventFields.outcome.schema.unwrap().optional().meta({ description: 'Only events that ended so' }),
  failed: z.enum(['true']).optional().meta({
    type: 'boolean',
    description: 'Only events with the outcome `failed`, and whole answers with a status of 400 or more',
  }),
  http_status: httpStatus,
  policy: text.optional().meta({ description: 'Only events for which this policy decided something' }),
  rule: text.optional().meta({ description: 'Only events for which this rule decided something', example: 'models' }),
  decision: z.enum(decisionActions).optional().meta({ description: 'Only events for which a policy decided so' }),
  request_id: requestId.meta({
    description: "Only events with this id, the caller's `X-Request-Id` or made by the proxy",
  }),
  provider_request_id: text.optional().meta({ description: "Only events with this id, which is the provider's own" }),
  cursor: z
    .string()
    .refine((cursor) => fromPublicId('evt', cursor) !== null, cursorFault)
    .optional()
    .meta(cursorMeta),
  total,
  offset,
};

const idFilters = {
  agent_id: z.string().optional().meta({ description: 'Only events of this agent' }),
  session_id: z.string().optional().meta({ description: 'Only events of this session' }),
};

export const eventListQuerySchema = z
  .object({
    limit: limit.default(50).meta({ override: { default: 50 } }),
    ...idFilters,
    ...eventFilters,
    expand,
  })
  .refine(isForward, forwardFault);

export const agentEventListQuerySchema = z
  .object({
    limit: limit.default(maxPageSize).meta({ override: { default: maxPageSize } }),
    ...eventFilters,
    expand: z.enum(['outcome']).optional().meta({ description: expandOutcome }),
  })
  .refine(isForward, forwardFault);

export const eventStreamQuerySchema = z.object({ ...idFilters, expand });

export const sessionEventsQuerySchema = z.object({ expand });

export const sessionDetailQuerySchema = z.object({
  expand: z
    .enum(['outcome', 'names', 'outcome,names', 'names,outcome'])
    .optional()
    .meta({ description: `${expandNames} to the session; ${expandOutcome}` }),
});

export const auditListQuerySchema = z
  .object({
    limit: limit.default(50).meta({ override: { default: 50 } }),
    offset,
    agent_id: z.string().optional().meta({ description: 'Only entries about this agent' }),
    ...timeRange('entries'),
    action: z
      .string()
      .max(1_024)
      .refine(isStorableText, 'must not hold NUL')
      .transform((actions) => actions.split(','))
      .optional()
      .meta({ description: 'Only entries of this action, or of these, between commas', example: 'policy.update' }),
    policy_id: text.optional().meta({ description: 'Only changes of this policy' }),
    actor: text.optional().meta({ description: 'Only what this person or API key did, by name or id' }),
    expand: z.enum(['agent']).optional().meta({ description: '`agent` adds `agent_name` to each entry' }),
  })
  .refine(isForward, forwardFault);

const maxReasonLength = 256;

export const changeQuerySchema = z.object({
  reason: z
    .string()
    .refine(
      (reason) => isPrintableText(reason, maxReasonLength),
      `must be 1 to ${maxReasonLength} printable characters`,
    )
    .optional()
    .meta({
      description: `Why the change is made, for the audit log: 1 to ${maxReasonLength} printable characters`,
      example: 'runs in a loop',
    }),
});

export const refusalListQuerySchema = z
  .object({
    limit: limit.default(50).meta({ override: { default: 50 } }),
    agent_id: z.string().optional().meta({ description: 'Only requests of this agent' }),
    provider: text.optional().meta({ description: 'Only requests to this provider' }),
    ...timeRange('requests'),
    reason: z
      .string()
      .refine((code) => Object.hasOwn(errorTable, code), 'must be the code of a refusal, such as agent_blocked')
      .optional()
      .meta({ description: 'Only those refused with this code', example: 'agent_blocked' }),
    policy: text.optional().meta({ description: 'Only those that this policy refused' }),
    rule: text.optional().meta({ description: 'Only those that this rule refused', example: 'models' }),
    request_id: requestId.meta({ description: 'Only those with this request id' }),
    cursor: z
      .string()
      .refine((cursor) => fromPublicId('ref', cursor) !== null, cursorFault)
      .optional()
      .meta(cursorMeta),
    total,
  })
  .refine(isForward, forwardFault);

export const unrecordedListQuerySchema = z
  .object({
    limit: limit.default(50).meta({ override: { default: 50 } }),
    offset,
    agent_id: z.string().optional().meta({ description: 'Only requests of this agent' }),
    ...timeRange('requests'),
  })
  .refine(isForward, forwardFault);

export type EventListQuery = z.infer<typeof eventListQuerySchema>;
