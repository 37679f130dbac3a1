/*
 * Filters for the dashboard's time range. The usage table has a row a day, and events are partitioned by id: a filter on a computed time
 * could use neither.
 */

/** UTC days that overlap the dashboard's time range. */
export const inDays = 'day BETWEEN $__timeFrom()::date AND $__timeTo()::date';

/** Usage on the days of the time range, a row for each agent and model: adding these up takes half as long as telling them apart in each sum. */
export const usageByAgentAndModel =
  '(\n  SELECT agent_name, agent_status, model, sum(request_count) AS requests, sum(total_tokens) AS tokens, sum(cost_usd) AS cost\n' +
  `  FROM reporting.daily_usage WHERE ${inDays} GROUP BY agent_name, agent_status, model\n) AS of_models`;

/** True for the agents chosen in the variable `agent`; for all with `All`. */
export const ofChosenAgents = `('*' IN (\${agent:sqlstring}) OR agent_name IN (\${agent:sqlstring}))`;

/** UTC hours that overlap the dashboard's time range. */
export const inHours = `hour BETWEEN date_trunc('hour', $__timeFrom()::timestamptz, 'UTC') AND $__timeTo()`;

/** The panel's interval that a time lies in. Grafana's macro computes with decimals: over a million rows that takes as long as all the rest. */
export const intervalOf = (column: string) => `date_bin('$__interval', ${column}, timestamptz '1970-01-01 00:00Z')`;
