import { z } from 'zod';
import { expectOfMonth } from '../calendar.ts';
import { labelName } from '../labels.ts';
import { usdToDecimal } from '../money.ts';
import { agentIdSchema } from './agent.ts';
import { eventIdSchema } from './event.ts';
import { wholeNumber } from './query-parameters.ts';
import { forwardFault, hourParameterSchema, isForward, timestampSchema } from './timestamp.ts';

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

const costBreakdownEntrySchema = z
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

const unpricedModelSchema = z
  .strictObject({
    provider: z.string(),
    model: z.string(),
    unit: z
      .string()
      .nullable()
      .meta({
        description:
          'What was counted and has no price of this model, as `PRICES_FILE` names it (`other_models`: another that the call ' +
          'used; `own_price`: it is charged as an older model whose name begins alike); null if the model has none at all',
        example: 'code_executions_kcount',
      }),
    request_count: z.int().min(0),
    total_prompt_tokens: z.int().min(0),
    total_completion_tokens: z.int().min(0),
    first_seen_at: timestampSchema,
    last_seen_at: timestampSchema,
  })
  .meta({
    id: 'UnpricedModel',
    description: 'Usage of one model of one provider that was recorded without a price, or without that of a unit',
  });

export const unpricedModelListSchema = z.array(unpricedModelSchema);

/** Why recorded figures are in doubt. */
const doubtReasonSchema = z.enum(['claim_too_large', 'unreadable', 'billed_later', 'out_of_range']).meta({
  description:
    '`claim_too_large`: the answer claims more than any call can have used, so the call is estimated, ' +
    '`unreadable`: an answer in which neither figures nor text could be found, or to a request whose work cannot be seen, ' +
    'or results of a batch that were fetched in part, with the sum that came, ' +
    '`billed_later`: work in the background, whose figures come with a later answer, with its estimate, ' +
    '`out_of_range`: figures that no event can hold',
});

const doubtfulUsageSchema = z
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
    ended_by_event_id: eventIdSchema.nullable().meta({
      description:
        'Of `billed_later`: the event that has the cost since, 0 if the work failed; null while it is waited for',
    }),
  })
  .meta({ id: 'DoubtfulUsage', description: 'A call whose recorded figures are in doubt' });

export const doubtfulUsageListSchema = z.array(doubtfulUsageSchema);

export type DoubtReason = z.infer<typeof doubtReasonSchema>;
export type DoubtfulUsage = z.infer<typeof doubtfulUsageSchema>;

export const unrecordedReasonSchema = z.enum(['ended_without_record', 'lost', 'set_aside', 'unknown']).meta({
  description:
    '`ended_without_record`: its proxy ended before its event was safe, `lost`: more events waited than a proxy holds, ' +
    '`set_aside`: the event cannot be recorded as it is, `unknown`: noted by a later version',
});

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
    noted_at: timestampSchema,
  })
  .meta({ id: 'UnrecordedRequest', description: 'A request that was forwarded and is not recorded' });

export const unrecordedRequestListSchema = z.array(unrecordedRequestSchema);

export type UnrecordedReason = z.infer<typeof unrecordedReasonSchema>;
export type UnrecordedRequest = z.infer<typeof unrecordedRequestSchema>;
export type CostSummary = z.infer<typeof costSummarySchema>;
export type CostBreakdownEntry = z.infer<typeof costBreakdownEntrySchema>;
export type UnpricedModel = z.infer<typeof unpricedModelSchema>;

/** The groups that usage can be summed by, and the member of an entry that each fills. */
export const usageGroups = {
  hour: 'hour',
  day: 'day',
  agent: 'agent_id',
  model: 'model',
  provider: 'provider',
  tag: 'compliance_tag',
} as const;

/** `label:` and the name of a label. */
type LabelGroup = `label:${string}`;
export type UsageGroup = keyof typeof usageGroups | LabelGroup;

/** The label that a group goes by; null if it goes by something else. */
export const labelOf = (group: UsageGroup): string | null =>
  group.startsWith('label:') ? group.slice('label:'.length) : null;

/** The column of an entry's group. */
export const columnOf = (group: UsageGroup): string => usageGroups[group as keyof typeof usageGroups] ?? group;

/** As many as one reads, and as are sorted in memory. */
const mostTop = 1_000;

/** As many labels as one groups by at once. */
const mostLabels = 4;

const groupNames = Object.keys(usageGroups) as (keyof typeof usageGroups)[];
const isGroup = (name: string): name is UsageGroup =>
  Object.hasOwn(usageGroups, name) || (name.startsWith('label:') && labelName.test(name.slice('label:'.length)));

const isTime = (group: UsageGroup) => group === 'hour' || group === 'day';

function readGroups(text: string): UsageGroup[] | null {
  const names = text.split(',', groupNames.length + mostLabels + 1);
  if (!names.every(isGroup) || new Set(names).size < names.length) return null;
  const labels = names.filter((name) => labelOf(name) !== null);
  return (names.includes('hour') && names.includes('day')) || labels.length > mostLabels ? null : names;
}

export const costUsageQuerySchema = z
  .object({
    from: hourParameterSchema.optional().meta({
      description:
        'Only usage of this hour or later: ISO 8601, a UTC day (`2026-11-20`, `today`, `yesterday`) or a week or month (`week`, ' +
        '`last-week`, `month`, `last-month`) for its start, or a span before the start of this hour (`24h`, `7d`)',
    }),
    to: hourParameterSchema.optional().meta({ description: 'Only usage before this hour, in the same forms' }),
    agent_id: z.string().optional().meta({ description: 'Only usage of this agent' }),
    group_by: z
      .string()
      .transform((text, context) => {
        const groups = readGroups(text);
        if (groups === null)
          context.addIssue(
            `must be some of ${groupNames.join(', ')} and label:NAME, each once, with commas between them, and not both hour and day`,
          );
        return groups ?? z.NEVER;
      })
      .optional()
      .meta({
        description:
          `Some of ${groupNames.map((name) => `\`${name}\``).join(', ')} and up to ${mostLabels} \`label:NAME\`, with commas ` +
          'between them, in the order of the columns of CSV. Labels are those that the agent had when the request was admitted. Without it, one entry has the sum',
        example: 'label:team,model',
      }),
    top: wholeNumber(`from 1 to ${mostTop}`, { min: 1, max: mostTop }).optional().meta({
      type: 'integer',
      minimum: 1,
      maximum: mostTop,
      description: 'Only so many entries, the dearest first; not by hour or day',
    }),
    order: z
      .enum(['cost', 'failed'])
      .optional()
      .meta({ description: 'With `top`: `failed` has those first that failed most, instead of the dearest' }),
  })
  .refine(isForward, forwardFault)
  .refine(({ top, group_by: groups = [] }) => top === undefined || !groups.some(isTime), {
    path: ['top'],
    error: 'must not be given with the groups hour and day',
  })
  .refine(({ top, order }) => order === undefined || top !== undefined, { path: ['order'], error: 'needs top' });

const milliseconds = z.int().min(0).nullable();

const sums = {
  ...totals,
  request_count: z.int().min(0),
  failed_count: z
    .int()
    .min(0)
    .meta({ description: 'As `failed=true` of the events counts: failed, or answered with 4xx or 5xx' }),
  p50_ms: milliseconds.meta({
    description:
      'Duration that half of the calls stayed below: an estimate from counts in buckets. Null if none is known',
  }),
  p95_ms: milliseconds.meta({ description: 'The same of 95 % of the calls' }),
  first_byte_p50_ms: milliseconds.meta({
    description: 'Time to the first byte of an answer, which is the first token of a stream, as `p50_ms`',
  }),
  first_byte_p95_ms: milliseconds.meta({ description: 'The same of 95 % of the calls' }),
};

const costUsageEntrySchema = z
  .strictObject({
    hour: timestampSchema.optional(),
    day: z.iso.date().optional(),
    agent_id: agentIdSchema.optional(),
    agent_name: z.string().nullable().optional(),
    model: z.string().optional(),
    provider: z.string().optional(),
    compliance_tag: z.string().optional(),
    labels: z
      .record(z.string(), z.string().nullable())
      .optional()
      .meta({
        description: 'The value of each label that was asked for; null for requests of agents without it',
        example: { team: 'sales' },
      }),
    ...sums,
    expected_cost_usd: z.number().min(0).optional().meta({
      description:
        'At the end of this month, if it goes on as since its first: only of all of the month so far, and not by hour or day',
    }),
  })
  .meta({ id: 'CostUsageEntry', description: 'The sum of one group; it has the members that were asked for' });

export type CostUsageQuery = z.output<typeof costUsageQuerySchema>;

/** What an entry will have cost at the end of this month, in USD; null if the query is not of all of it so far, or by time. */
export function expectUsage(usd: number, { from, to, group_by = [] }: CostUsageQuery): number | null {
  const range = { from: from?.toISOString(), to: to?.toISOString() };
  const expected = group_by.some(isTime) ? null : expectOfMonth(usd, range);
  return expected && Number(usdToDecimal(expected));
}

export function listUsageMembers(query: CostUsageQuery): string[] {
  const { group_by: groups = [] } = query;
  const members = groups.flatMap((name) => (name === 'agent' ? ['agent_id', 'agent_name'] : columnOf(name)));
  return [...members, ...Object.keys(sums), ...(expectUsage(0, query) === null ? [] : ['expected_cost_usd'])];
}

export const costUsageSchema = z
  .strictObject({
    from: timestampSchema.nullable(),
    to: timestampSchema.nullable(),
    time_zone: z.literal('UTC').meta({ description: 'Of hours and days' }),
    group_by: z.array(z.string().refine(isGroup)),
    usage: z.array(costUsageEntrySchema),
  })
  .meta({ id: 'CostUsage', description: 'Usage and cost of a range of time, summed by what was asked for' });

export type CostUsage = z.infer<typeof costUsageSchema>;
export type CostUsageEntry = z.infer<typeof costUsageEntrySchema>;
