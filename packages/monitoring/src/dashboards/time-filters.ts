/*
 * How queries keep to the dashboard's time. Days are rows of the usage table, and events lie in partitions by their id: neither
 * is found by a filter on a time that was computed.
 */

/** Days that the dashboard's time touches, in UTC. */
export const inDays = 'day BETWEEN $__timeFrom()::date AND $__timeTo()::date';

/** Rows of `reporting.events` in the dashboard's time. */
export const eventsInTime = 'reporting.events_between($__timeFrom(), $__timeTo())';

/** True for the agents that the variable `agent` has; all of them with `All`. */
export const ofChosenAgents = `('*' IN (\${agent:sqlstring}) OR agent_name IN (\${agent:sqlstring}))`;
