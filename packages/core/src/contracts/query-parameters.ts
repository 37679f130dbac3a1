import { z } from 'zod';
import { isStorableText } from '../events/event-message.ts';
import { fromPublicId } from '../ids.ts';
import { agentStatusSchema } from './agent.ts';
import { isPrintableText } from './agent-name.ts';
import { timeParameterSchema } from './timestamp.ts';

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

/** `GET /api/v1/sessions`, `/budgets` and `/limits`: complete unless a limit is given. */
export const wholeListQuerySchema = z.object(paging);

const eventFilters = {
  from: timeParameterSchema.optional().meta({ description: 'Only events of this time or later' }),
  to: timeParameterSchema.optional().meta({ description: 'Only events before this time' }),
  recorded_after: timeParameterSchema.optional().meta({
    description: 'Only events recorded after this time, which is later than their timestamp: for backfilling',
  }),
  model: text.optional(),
  provider: text.optional(),
  compliance_tag: text.optional(),
  pii_detected: flag.optional(),
  cursor: z
    .string()
    .refine((cursor) => fromPublicId('evt', cursor) !== null, 'must be one that a Link header gave')
    .optional()
    .meta({ description: 'Where the page before ended; taken from its `Link` header' }),
  offset,
};

const idFilters = {
  agent_id: z.string().optional().meta({ description: 'Only events of this agent' }),
  session_id: z.string().optional().meta({ description: 'Only events of this session' }),
};

/** `GET /api/v1/events` */
export const eventListQuerySchema = z.object({
  limit: limit.default(50).meta({ override: { default: 50 } }),
  ...idFilters,
  ...eventFilters,
});

/** `GET /api/v1/agents/{id}/events` */
export const agentEventListQuerySchema = z.object({
  limit: limit.default(maxPageSize).meta({ override: { default: maxPageSize } }),
  ...eventFilters,
});

/** `GET /api/v1/events/stream` */
export const eventStreamQuerySchema = z.object(idFilters);

/** `GET /api/v1/audit` */
export const auditListQuerySchema = z.object({
  limit: limit.default(50).meta({ override: { default: 50 } }),
  offset,
  agent_id: z.string().optional().meta({ description: 'Only entries about this agent' }),
  action: text.optional().meta({ description: 'Only entries of this action' }),
});

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
export const unrecordedListQuerySchema = z.object({
  limit: limit.default(50).meta({ override: { default: 50 } }),
  offset,
  agent_id: z.string().optional().meta({ description: 'Only requests of this agent' }),
  from: timeParameterSchema.optional().meta({ description: 'Only requests of this time or later' }),
  to: timeParameterSchema.optional().meta({ description: 'Only requests before this time' }),
});

export type EventListQuery = z.infer<typeof eventListQuerySchema>;
