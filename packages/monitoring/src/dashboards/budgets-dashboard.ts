import { barGaugePanel, prom, sqlTable, sqlTime, statPanel, tablePanel, timePanel } from '../panels.ts';
import { agentVariable, inDays, makeDashboard, ofChosenAgents } from './make-dashboard.ts';

const ofAll = "FROM reporting.budgets_today WHERE scope = 'global'";
const ofActive = `FROM reporting.budgets_today\nWHERE scope = 'agent' AND agent_status = 'active' AND ${ofChosenAgents}`;

/** What panels show if no cap is set. */
const noCap = 'no cap';

const globalFigure = (title: string, description: string, column: string, unit: string, shown = {}) =>
  statPanel({
    title,
    description,
    queries: [sqlTable(`SELECT ${column} AS "value" ${ofAll}`)],
    width: 6,
    unit,
    ...shown,
  });

const all = [
  globalFigure(
    'Spent today',
    'By all agents on the UTC day; lost and quarantined events included',
    'spent_usd',
    'currencyUSD',
  ),
  globalFigure('Cap of all agents', 'Of a day; where none is set, it says so', 'daily_cap_usd', 'currencyUSD', {
    withoutValue: noCap,
  }),
  globalFigure(
    'Left today',
    'Of the cap of all agents; reservations of running requests are not subtracted',
    'remaining_usd',
    'currencyUSD',
    { withoutValue: noCap },
  ),
  globalFigure('Used', 'Spent part of the cap of all agents', 'used_ratio', 'percentunit', {
    warnAt: 0.8,
    alarmAt: 1,
    withoutValue: noCap,
  }),
  timePanel(
    {
      title: 'Spent by day',
      description: 'By all agents, of recorded events, and today’s cap',
      queries: [
        sqlTime(
          `SELECT day_start AS "time", sum(cost_usd) AS "spent"\nFROM reporting.daily_usage WHERE ${inDays}\nGROUP BY 1 ORDER BY 1`,
        ),
      ],
      width: 12,
      unit: 'currencyUSD',
    },
    'bars',
  ),
  timePanel(
    {
      title: 'Requests that budgets and limits refused',
      description:
        'By the code of their error: an agent’s cap, the cap of all, a budget, what is held by requests in flight, requests a minute',
      queries: [
        sqlTime(
          `SELECT $__timeGroup(since, $__interval) AS "time", reason AS metric, sum(refusal_count) AS "refusals"\nFROM reporting.refusal_totals\n` +
            `WHERE $__timeFilter(since) AND reason IN ('agent_budget_exceeded', 'global_budget_exceeded', 'budget_exceeded', 'budget_held', 'rate_limited')\n` +
            'GROUP BY 1, 2 ORDER BY 1',
        ),
      ],
      width: 12,
    },
    'bars',
  ),
];

const agents = [
  barGaugePanel({
    title: 'Active agents nearest to their cap',
    description: 'Spent part of the cap of today; agents without a cap are not here',
    queries: [
      sqlTable(
        `SELECT agent_name AS "Agent", used_ratio AS "Used"\n${ofActive}\n  AND used_ratio IS NOT NULL\nORDER BY used_ratio DESC, agent_name LIMIT 20`,
      ),
    ],
    width: 12,
    unit: 'percentunit',
    warnAt: 0.8,
    alarmAt: 1,
    max: 1,
    withoutValue: 'no agent has a cap',
  }),
  tablePanel({
    title: 'Budgets of active agents',
    description: 'Of the UTC day, without reservations of running requests',
    queries: [
      sqlTable(
        `SELECT agent_name AS "Agent", daily_cap_usd AS "Cap", spent_usd AS "Spent", remaining_usd AS "Left", used_ratio AS "Used",\n` +
          `  warn_only AS "Warns only"\n${ofActive}\nORDER BY used_ratio DESC NULLS LAST, spent_usd DESC, agent_name LIMIT 500`,
      ),
    ],
    width: 12,
    units: { Cap: 'currencyUSD', Spent: 'currencyUSD', Left: 'currencyUSD', Used: 'percentunit' },
    withoutValues: { Cap: noCap, Left: noCap, Used: noCap },
  }),
];

const keeping = [
  timePanel({
    title: 'Agents near their cap',
    description: 'Active agents that spent 80 % of their cap or more, and those that spent all of it',
    queries: [
      prom('max(agp_management_agents_near_daily_cap)', '80 % or more'),
      prom('max(agp_management_agents_at_daily_cap)', 'all'),
    ],
    width: 6,
  }),
  timePanel({
    title: 'Requests over a cap that only warns',
    description: 'By the scope of the cap: an agent’s, or that of all',
    queries: [prom('sum by (cap) (rate(agp_proxy_budget_warnings_total[$__rate_interval]))', '{{cap}}')],
    width: 6,
    unit: 'reqps',
  }),
  timePanel({
    title: 'Refused with room left',
    description:
      'Recorded spend would allow them, but requests in flight hold the rest of a cap: an agent’s, or that of all',
    queries: [prom('sum by (cap) (rate(agp_proxy_refused_with_room_total[$__rate_interval]))', '{{cap}}')],
    width: 6,
    unit: 'reqps',
  }),
  timePanel({
    title: 'Budgets without Redis',
    description: 'Failed calls of Redis: each proxy then counts only its own requests',
    queries: [prom('sum by (instance) (rate(agp_proxy_budget_fallbacks_total[$__rate_interval]))', '{{instance}}')],
    width: 6,
    unit: 'cps',
  }),
];

/** Caps and their use. */
export const budgetsDashboard = makeDashboard({
  uid: 'agp-budgets',
  title: 'AGP / Budgets',
  description: 'Daily caps and spend: of all agents together, and of each active one',
  from: 'now-7d',
  variables: [agentVariable('active_agents')],
  rows: [
    { title: 'All agents', panels: all },
    { title: 'Active agents', panels: agents },
    { title: 'How budgets are kept', panels: keeping },
  ],
});
