import { makeNameCounter } from './count-by-name.ts';

/** Models of one agent that are counted by name: each day adds names that it may have made up. */
export const maxModelsOfAgent = 999;

/** Adds events to the usage of their agent and model of all time; models beyond the bound are counted together, under `other`. */
export const addToAgentUsage = makeNameCounter({
  table: 'agent_usage',
  group: { agent_id: { type: 'uuid', of: ({ agentId }) => agentId } },
  name: 'model',
  measures: [
    ...(['prompt_tokens', 'completion_tokens', 'cost_usd', 'event_count'] as const),
    ...(['request_count', 'first_event_at', 'last_event_at'] as const),
  ],
  maxNames: maxModelsOfAgent,
  order: (model) => `agent_id, ${model}`,
  lockName: `'agent ' || agent_id`,
});
