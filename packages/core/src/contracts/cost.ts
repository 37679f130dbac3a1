import { z } from 'zod';
import { agentIdSchema } from './agent.ts';
import { eventIdSchema } from './event.ts';
import { timestampSchema } from './timestamp.ts';

const totals = {
  total_cost_usd: z.number().min(0),
  total_prompt_tokens: z.int().min(0),
  total_completion_tokens: z.int().min(0),
  total_tokens: z.int().min(0),
};

/** The dates are null while nothing is recorded. */
export const costSummarySchema = z
  .strictObject({
    ...totals,
    date_from: timestampSchema.nullable(),
    date_to: timestampSchema.nullable(),
    agent_count: z.int().min(0),
    request_count: z.int().min(0),
  })
  .meta({ id: 'CostSummary', description: 'Usage and cost of all agents together' });

export const costBreakdownEntrySchema = z
  .strictObject({
    agent_id: agentIdSchema,
    agent_name: z.string(),
    ...totals,
    request_count: z.int().min(0),
    avg_cost_per_request_usd: z.number().min(0),
    models_used: z.array(z.string()),
  })
  .meta({ id: 'CostBreakdownEntry', description: 'Usage and cost of one agent' });

export const costBreakdownSchema = z.array(costBreakdownEntrySchema);

export const unpricedModelSchema = z
  .strictObject({
    provider: z.string(),
    model: z.string(),
    request_count: z.int().min(0),
    total_prompt_tokens: z.int().min(0),
    total_completion_tokens: z.int().min(0),
    first_seen_at: timestampSchema,
    last_seen_at: timestampSchema,
  })
  .meta({ id: 'UnpricedModel', description: 'Usage of one model of one provider that was recorded without a price' });

export const unpricedModelListSchema = z.array(unpricedModelSchema);

/** Why recorded figures are in doubt. */
export const doubtReasonSchema = z.enum(['claim_too_large', 'unreadable', 'out_of_range']).meta({
  description:
    '`claim_too_large`: the answer claims more than its request allows, so the most that it allows is recorded, ' +
    '`unreadable`: an answer in which neither figures nor text could be found, or to a request whose work cannot be seen, ' +
    'or results of a batch that were fetched in part, with the sum that came, ' +
    '`out_of_range`: figures that no event can hold',
});

/** A call whose recorded figures are in doubt. */
export const doubtfulUsageSchema = z
  .strictObject({
    event_id: eventIdSchema,
    agent_id: agentIdSchema,
    agent_name: z.string().nullable(),
    session_id: z.string(),
    provider: z.string(),
    model: z.string(),
    started_at: timestampSchema,
    reason: doubtReasonSchema,
    claimed_prompt_tokens: z.int().min(0).meta({ description: '0 where the answer claimed nothing' }),
    claimed_completion_tokens: z.int().min(0),
    claimed_cost_usd: z.number().min(0),
    cost_usd: z.number().min(0).meta({ description: 'As recorded' }),
  })
  .meta({ id: 'DoubtfulUsage', description: 'A call whose recorded figures are in doubt' });

export const doubtfulUsageListSchema = z.array(doubtfulUsageSchema);

export type DoubtReason = z.infer<typeof doubtReasonSchema>;
export type DoubtfulUsage = z.infer<typeof doubtfulUsageSchema>;

/** Why a forwarded request is not recorded. */
export const unrecordedReasonSchema = z.enum(['ended_without_record', 'lost', 'set_aside', 'unknown']).meta({
  description:
    '`ended_without_record`: its proxy ended before its event was safe, `lost`: more events waited than a proxy holds, ' +
    '`set_aside`: the event cannot be recorded as it is, `unknown`: noted by an older version',
});

/** A forwarded request that has no event, and what it counts in the budgets of its day. */
export const unrecordedRequestSchema = z
  .strictObject({
    event_id: eventIdSchema,
    agent_id: agentIdSchema,
    agent_name: z.string().nullable(),
    session_id: z.string().nullable(),
    provider: z.string().nullable(),
    model: z.string().nullable().meta({ description: 'As the request named it' }),
    started_at: timestampSchema,
    cost_usd: z.number().min(0).meta({ description: 'Its cost if that is known, else its reservation' }),
    reason: unrecordedReasonSchema,
    outcome: z.enum(['lost']).nullable().meta({
      description:
        '`lost`: how the request ended will not be known unless its event comes after all; null where the event is kept',
    }),
    noted_at: timestampSchema.nullable(),
  })
  .meta({ id: 'UnrecordedRequest', description: 'A request that was forwarded and is not recorded' });

export const unrecordedRequestListSchema = z.array(unrecordedRequestSchema);

export type UnrecordedReason = z.infer<typeof unrecordedReasonSchema>;
export type UnrecordedRequest = z.infer<typeof unrecordedRequestSchema>;
export type CostSummary = z.infer<typeof costSummarySchema>;
export type CostBreakdownEntry = z.infer<typeof costBreakdownEntrySchema>;
export type UnpricedModel = z.infer<typeof unpricedModelSchema>;
