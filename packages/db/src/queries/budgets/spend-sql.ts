/*
 * The spend of the UTC day `$1`, in USD, that caps limit and operators see. Lost and quarantined events count too. Use both sums in one
 * statement: with two snapshots an event might be missing from both.
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
