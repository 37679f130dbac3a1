import { makeNameCounter } from './count-by-name.ts';

/** Models of one agent and UTC day that are counted by name. */
export const maxModelsOfDay = 200;

/** Adds events to the usage of their UTC day, agent and model; models beyond the bound are counted together, under `other`. */
export const addToDailyUsage = makeNameCounter({
  table: 'daily_usage',
  group: {
    day: { type: 'date', of: ({ event }) => event.timestamp.slice(0, 10) },
    agent_id: { type: 'uuid', of: ({ agentId }) => agentId },
  },
  name: 'model',
  measures: [
    ...(['prompt_tokens', 'completion_tokens', 'cost_usd', 'event_count'] as const),
    ...(['request_count', 'first_event_at', 'last_event_at'] as const),
  ],
  maxNames: maxModelsOfDay,
  order: (model) => `day, agent_id, ${model}`,
  lockName: `day || ' ' || agent_id`,
});
