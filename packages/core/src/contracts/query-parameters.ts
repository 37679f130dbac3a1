import { z } from 'zod';
import { isStorableText } from '../events/event-message.ts';
import { fromPublicId } from '../ids.ts';
import { agentStatusSchema } from './agent.ts';
import { isPrintableText } from './agent-name.ts';
import { forwardFault, isForward, timeParameterSchema, timeRange } from './timestamp.ts';

/** The longest page of any list. */
export const maxPageSize = 1000;

function wholeNumber(range: string, { min, max }: { min: number; max: number }) {
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

/** `GET /api/v1/agents`: complete unless a limit is given. */
export const agentListQuerySchema = z.object({ status: agentStatusSchema.optional(), ...paging });

/** `GET /api/v1/budgets` and `/limits`: complete unless a limit is given. */
export const wholeListQuerySchema = z.object(paging);

const cursorMeta = { description: 'Where the page before ended; taken from its `Link` header' };
const cursorFault = 'must be one that a Link header gave';

/** Where a page of sessions ended: the start of its last session in milliseconds since 1970, and that session's id. */
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

/** Writes a cursor of {@link sessionListQuerySchema}. */
export function writeSessionCursor({ started_at, id }: { started_at: Date; id: string }): string {
  return `${started_at.getTime()}.${id}`;
}

/** `GET /api/v1/sessions`: complete unless a limit is given. */
export const sessionListQuerySchema = z
  .object({
    ...paging,
    cursor: sessionCursor.optional(),
    agent_id: z.string().optional().meta({ description: 'Only sessions of this agent' }),
    ...timeRange('sessions that began', 'at'),
  })
  .refine(isForward, forwardFault);

const expand = z.enum(['agent']).optional().meta({ description: '`agent` adds `agent_name` to each event' });

const eventFilters = {
  ...timeRange('events'),
  recorded_after: timeParameterSchema.optional().meta({
    description: 'Only events recorded after this time, which is later than their timestamp: for backfilling',
  }),
  model: text.optional(),
  provider: text.optional(),
  compliance_tag: text.optional(),
  pii_detected: flag.optional(),
  cursor: z
    .string()
    .refine((cursor) => fromPublicId('evt', cursor) !== null, cursorFault)
    .optional()
    .meta(cursorMeta),
  offset,
};

const idFilters = {
  agent_id: z.string().optional().meta({ description: 'Only events of this agent' }),
  session_id: z.string().optional().meta({ description: 'Only events of this session' }),
};

/** `GET /api/v1/events` */
export const eventListQuerySchema = z
  .object({
    limit: limit.default(50).meta({ override: { default: 50 } }),
    ...idFilters,
    ...eventFilters,
    expand,
  })
  .refine(isForward, forwardFault);

/** `GET /api/v1/agents/{id}/events` */
export const agentEventListQuerySchema = z
  .object({
    limit: limit.default(maxPageSize).meta({ override: { default: maxPageSize } }),
    ...eventFilters,
  })
  .refine(isForward, forwardFault);

/** `GET /api/v1/events/stream` */
export const eventStreamQuerySchema = z.object({ ...idFilters, expand });

/** `GET /api/v1/events/sessions/{session_id}` */
export const sessionEventsQuerySchema = z.object({ expand });

/** `GET /api/v1/audit` */
export const auditListQuerySchema = z
  .object({
    limit: limit.default(50).meta({ override: { default: 50 } }),
    offset,
    agent_id: z.string().optional().meta({ description: 'Only entries about this agent' }),
    ...timeRange('entries'),
    action: text.optional().meta({ description: 'Only entries of this action' }),
  })
  .refine(isForward, forwardFault);

/** The longest reason of a change, in UTF-16 units. */
export const maxReasonLength = 256;

/** Every call that changes something. */
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

/** `GET /api/v1/costs/unrecorded` and `/costs/doubtful` */
export const unrecordedListQuerySchema = z
  .object({
    limit: limit.default(50).meta({ override: { default: 50 } }),
    offset,
    agent_id: z.string().optional().meta({ description: 'Only requests of this agent' }),
    ...timeRange('requests'),
  })
  .refine(isForward, forwardFault);

export type EventListQuery = z.infer<typeof eventListQuerySchema>;
