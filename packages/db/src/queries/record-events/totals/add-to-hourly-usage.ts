import { makeNameCounter } from './count-by-name.ts';

/** Models, providers and tags of one agent and UTC hour that are counted with their tag. */
export const maxTagsOfHour = 100;

/** The UTC hour of an event. */
export const hourOf = (timestamp: string): string => `${timestamp.slice(0, 13)}:00Z`;

/**
 * Adds events to the usage of their UTC hour, agent, model, provider and compliance tag. Comes after daily usage: models that are `other`
 * there are `other` here, so that the hours of a day add up to the day. Tags beyond the bound are counted together, under `other`.
 */
export const addToHourlyUsage = makeNameCounter({
  table: 'hourly_usage',
  group: {
    hour: {
      type: 'timestamptz',
      of: ({ event }) => hourOf(event.timestamp),
      shown: `to_char(hour AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI"Z"')`,
    },
    agent_id: { type: 'uuid', of: ({ agentId }) => agentId },
  },
  kept: {
    model: { type: 'text', of: ({ event }) => event.model },
    provider: { type: 'text', of: ({ event }) => event.provider },
  },
  name: 'compliance_tag',
  renamed: {
    model: `CASE WHEN EXISTS (
      SELECT FROM daily_usage AS daily
      WHERE daily.day = (gained.hour AT TIME ZONE 'UTC')::date AND daily.agent_id = gained.agent_id AND daily.model = gained.model
    ) THEN gained.model ELSE 'other' END`,
  },
  measures: ['prompt_tokens', 'completion_tokens', 'cost_usd', 'event_count', 'request_count'],
  maxNames: maxTagsOfHour,
  order: (tag) => `hour, agent_id, model, provider, ${tag}`,
  lockName: `'hour ' || extract(epoch FROM hour) || ' ' || agent_id`,
});
