import { sqlTable, sqlTime, statPanel, tablePanel, timePanel } from '../panels.ts';
import { agentVariable, inDays, makeDashboard, ofChosenAgents, usageByAgentAndModel } from './make-dashboard.ts';

const countOf = (title: string, description: string, where: string) =>
  statPanel({
    title,
    description,
    queries: [sqlTable(`SELECT count(*) AS "agents" FROM reporting.agents WHERE ${where}`)],
    width: 6,
  });

const counts = [
  countOf('Active', 'Agents that are neither blocked nor retired', "status = 'active'"),
  countOf(
    'Active in the chosen time',
    'Active agents whose latest request is in the chosen time',
    "status = 'active' AND $__timeFilter(last_request_at)",
  ),
  countOf('Blocked', 'Agents whose requests are refused', "status = 'blocked'"),
  countOf('Retired', 'Agents that left these panels; their requests are still let through', "status = 'retired'"),
];

const usageByAgent =
  `SELECT agent_name, sum(requests) AS requests, sum(tokens) AS tokens, sum(cost) AS cost,\n` +
  `    string_agg(model, ', ' ORDER BY model) AS models\n  FROM ${usageByAgentAndModel}\n  WHERE agent_status = 'active' GROUP BY agent_name`;

/** The ten costliest of the chosen time: thousands of lines could not be read. */
const costliest =
  `SELECT agent_name FROM reporting.daily_usage\n  WHERE ${inDays} AND agent_status = 'active' AND ${ofChosenAgents}\n` +
  '  GROUP BY agent_name ORDER BY sum(cost_usd) DESC, agent_name LIMIT 10';

const perDay = (title: string, unit: string, column: string) =>
  timePanel(
    {
      title,
      description: 'By UTC day, of the ten active agents that cost most in the chosen time',
      queries: [
        sqlTime(
          `SELECT day_start AS "time", agent_name AS metric, sum(${column}) AS "value"\nFROM reporting.daily_usage\n` +
            `WHERE ${inDays} AND agent_status = 'active' AND agent_name IN (\n  ${costliest}\n)\nGROUP BY 1, 2 ORDER BY 1`,
        ),
      ],
      width: 8,
      unit,
    },
    'bars',
  );

const active = [
  tablePanel({
    title: 'Active agents',
    description: 'With their usage on the days of the chosen time; the costliest first',
    queries: [
      sqlTable(
        `SELECT agent_name AS "Agent", coalesce(requests, 0) AS "Requests", coalesce(tokens, 0) AS "Tokens",\n` +
          `  coalesce(cost, 0) AS "Cost", cost / nullif(requests, 0) AS "Cost a request", models AS "Models",\n` +
          `  last_request_at AS "Last request", created_at AS "Registered", agent_id AS "Id"\n` +
          `FROM reporting.active_agents\nLEFT JOIN (\n  ${usageByAgent}\n) AS used USING (agent_name)\n` +
          `WHERE ${ofChosenAgents}\nORDER BY coalesce(cost, 0) DESC, agent_name LIMIT 500`,
      ),
    ],
    width: 24,
    height: 11,
    units: { Cost: 'currencyUSD', 'Cost a request': 'currencyUSD' },
  }),
  perDay('Cost by agent', 'currencyUSD', 'cost_usd'),
  perDay('Requests by agent', 'short', 'request_count'),
  perDay('Tokens by agent', 'short', 'total_tokens'),
];

const others = [
  tablePanel({
    title: 'Blocked agents',
    description: 'With the requests that were refused to them in the chosen time',
    queries: [
      sqlTable(
        `SELECT agent_name AS "Agent", updated_at AS "Changed", last_request_at AS "Last request let through",\n` +
          `  coalesce(refusals, 0) AS "Refused requests", agent_id AS "Id"\nFROM reporting.agents\n` +
          `LEFT JOIN (\n  SELECT agent_name, sum(refusal_count) AS refusals FROM reporting.refusal_totals\n` +
          `  WHERE $__timeFilter(since) AND agent_status = 'blocked' GROUP BY agent_name\n) AS refused USING (agent_name)\n` +
          `WHERE status = 'blocked'\nORDER BY updated_at DESC LIMIT 100`,
      ),
    ],
    width: 12,
  }),
  tablePanel({
    title: 'Retired agents that still send',
    description: 'Their latest request came after their last change: they were not stopped where they run',
    queries: [
      sqlTable(
        `SELECT agent_name AS "Agent", updated_at AS "Changed", last_request_at AS "Last request", agent_id AS "Id"\n` +
          `FROM reporting.agents WHERE status = 'retired' AND last_request_at > updated_at\nORDER BY last_request_at DESC LIMIT 100`,
      ),
    ],
    width: 12,
  }),
];

export const agentsDashboard = makeDashboard({
  uid: 'agp-agents',
  title: 'AGP / Agents',
  description: 'Active agents and their usage, and blocked or retired agents that still send.',
  from: 'now-7d',
  variables: [agentVariable('active_agents')],
  rows: [
    { title: 'Agents', panels: counts },
    { title: 'Active agents', panels: active },
    { title: 'Agents that should be quiet', panels: others },
  ],
});
