/*
 * What was spent on the UTC day `$1`, in USD, as caps are held against it and as operators are shown it. Lost and
 * quarantined events were spent too; one snapshot, so that no event is counted in neither place.
 */

/** Of the agent `asked.agent_id`. */
export const agentSpendUsd = `(
  coalesce((SELECT sum(cost_usd) FROM daily_usage WHERE day = $1 AND agent_id = asked.agent_id), 0)
    + coalesce((SELECT sum(cost_usd) FROM unrecorded_spend WHERE day = $1 AND agent_id = asked.agent_id), 0)
  )`;

/** Of all agents together. */
export const globalSpendUsd = `(
  coalesce((SELECT sum(cost_usd) FROM daily_global_spend WHERE day = $1), 0)
    + coalesce((SELECT sum(cost_usd) FROM unrecorded_spend WHERE day = $1), 0)
  )`;
