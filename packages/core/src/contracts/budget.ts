import { z } from 'zod';
import { ceilToNano } from '../money.ts';
import { agentIdSchema } from './agent.ts';
import { labelListSchema } from './metadata.ts';
import { timestampSchema } from './timestamp.ts';

/** Amounts up to here are exact as whole nano-dollars in a double. */
export const maxDailyCapUsd = 9_000_000;

const dailyCapSchema = z.number().min(0).nullable().meta({ description: 'USD a UTC day; null is no cap' });

/** Shown only if it is set: most caps refuse. */
const warnOnlySchema = z
  .literal(true)
  .optional()
  .meta({ description: 'Requests over the cap are let through and counted; absent where the cap refuses them' });

const budgetFields = {
  daily_cap_usd: dailyCapSchema,
  spent_usd: z.number().min(0).meta({ description: 'What today, a UTC day, cost until now' }),
  reserved_usd: z.number().min(0).meta({ description: 'Held for requests whose cost is not in `spent_usd` yet' }),
  remaining_usd: z.number().min(0).nullable().meta({ description: 'Neither spent nor held; null without a cap' }),
  warn_only: warnOnlySchema,
};

export const budgetSchema = z
  .strictObject(budgetFields)
  .meta({ id: 'Budget', description: 'A daily cap, and how much of it is used today' });

export const noRoomSinceSchema = timestampSchema.nullable().meta({
  description:
    'When its cap refused a request today, if none was served since: what is left may be less than one request reserves (4,096 tokens of output if it names no `max_tokens`)',
});

const agentBudgetSchema = z
  .strictObject({
    agent_id: agentIdSchema,
    agent_name: z.string(),
    labels: labelListSchema,
    no_room_since: noRoomSinceSchema,
    ...budgetFields,
  })
  .meta({ id: 'AgentBudget', description: 'The budget of one agent' });

export const budgetListSchema = z
  .strictObject({
    day: z.iso.date().meta({ description: 'The UTC day that the amounts are of' }),
    global: budgetSchema,
    default_agent_cap_usd: dailyCapSchema,
    default_warn_only: warnOnlySchema,
    agents: z.array(agentBudgetSchema),
  })
  .meta({ id: 'BudgetList', description: 'The budgets of all agents together and of each one' });

export const budgetInputSchema = z
  .strictObject({
    daily_cap_usd: z
      .number()
      .min(0)
      .max(maxDailyCapUsd)
      .transform(ceilToNano)
      .nullable()
      .meta({ description: 'USD a UTC day, rounded up to the nano-dollar; null is no cap' }),
    warn_only: z.boolean().default(false).meta({ description: 'Let requests over the cap through, and count them' }),
  })
  .meta({ id: 'BudgetInput' });

export type Budget = z.infer<typeof budgetSchema>;

/** As `If-Match` takes a daily cap. */
export const versionOfCap = (cap: { daily_cap_usd: number | null; warn_only?: boolean | undefined }): string =>
  `${cap.daily_cap_usd ?? 'none'}${cap.warn_only ? ' warn' : ''}`;

export type AgentBudget = z.infer<typeof agentBudgetSchema>;
export type BudgetList = z.infer<typeof budgetListSchema>;

/** As many as the column holds. */
const maxRequestsPerMinute = 2_147_483_647;

const requestsPerMinuteSchema = z
  .int()
  .min(1)
  .max(maxRequestsPerMinute)
  .nullable()
  .meta({ description: 'Requests in a minute of the clock, over all proxies; null is no limit' });

export const limitSchema = z.strictObject({ requests_per_minute: requestsPerMinuteSchema }).meta({ id: 'Limit' });

const agentLimitSchema = z
  .strictObject({
    agent_id: agentIdSchema,
    agent_name: z.string(),
    requests_per_minute: requestsPerMinuteSchema,
  })
  .meta({ id: 'AgentLimit', description: 'The limit of one agent' });

export const limitListSchema = z
  .strictObject({ default_requests_per_minute: requestsPerMinuteSchema, agents: z.array(agentLimitSchema) })
  .meta({ id: 'LimitList', description: 'The limit of new agents, and that of each agent' });

export type Limit = z.infer<typeof limitSchema>;
export type AgentLimit = z.infer<typeof agentLimitSchema>;
