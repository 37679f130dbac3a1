/*
 * Filters for the dashboard's time range. The usage table has a row a day, and events are partitioned by id: a filter on a computed time
 * could use neither.
 */

/** UTC days that overlap the dashboard's time range. */
export const inDays = 'day BETWEEN $__timeFrom()::date AND $__timeTo()::date';

/** True for the agents chosen in the variable `agent`; for all with `All`. */
export const ofChosenAgents = `('*' IN (\${agent:sqlstring}) OR agent_name IN (\${agent:sqlstring}))`;

/** UTC hours that overlap the dashboard's time range. */
export const inHours = `hour BETWEEN date_trunc('hour', $__timeFrom()::timestamptz, 'UTC') AND $__timeTo()`;
