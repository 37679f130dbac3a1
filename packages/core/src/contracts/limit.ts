import { z } from 'zod';
import { agentIdSchema } from './agent.ts';

/** As many as the column holds. */
const maxRequestsPerMinute = 2_147_483_647;

const requestsPerMinuteSchema = z
  .int()
  .min(1)
  .max(maxRequestsPerMinute)
  .nullable()
  .meta({ description: 'Requests in a minute of the clock, over all proxies; null is no limit' });

/** The body and the answer of the PUTs of limits. */
export const limitSchema = z.strictObject({ requests_per_minute: requestsPerMinuteSchema }).meta({ id: 'Limit' });

export const agentLimitSchema = z
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
