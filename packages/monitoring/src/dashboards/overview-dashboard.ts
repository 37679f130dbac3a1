import { prom, promNow, sqlTable, sqlTime, statPanel, tablePanel, timePanel } from '../panels.ts';
import { inDays, inHours, makeDashboard, providerVariable, usageByAgentAndModel } from './make-dashboard.ts';

const now = [
  statPanel({
    title: 'Requests a second',
    description: 'Forwarded to providers, of all proxies, in the last five minutes',
    queries: [promNow('sum(rate(agp_proxy_requests_total[5m]))', 'requests')],
    width: 4,
    unit: 'reqps',
  }),
  statPanel({
    title: 'Refusals a second',
    description: 'Not forwarded, of all proxies, in the last five minutes',
    queries: [promNow('sum(rate(agp_proxy_refusals_total[5m]))', 'refusals')],
    width: 4,
    unit: 'reqps',
  }),
  statPanel({
    title: 'Active agents',
    description: 'Neither blocked nor retired',
    queries: [sqlTable('SELECT count(*) AS "agents" FROM reporting.active_agents')],
    width: 4,
  }),
  statPanel({
    title: 'Cost today',
    description: 'Of the UTC day, as budgets count it: lost and quarantined events included',
    queries: [sqlTable(`SELECT spent_usd AS "cost" FROM reporting.budgets_today WHERE scope = 'global'`)],
    width: 4,
    unit: 'currencyUSD',
  }),
  statPanel({
    title: 'Requests today',
    description: 'Recorded requests of the UTC day',
    queries: [
      sqlTable(
        `SELECT coalesce(sum(request_count), 0) AS "requests" FROM reporting.daily_usage WHERE day = (now() AT TIME ZONE 'UTC')::date`,
      ),
    ],
    width: 4,
  }),
  statPanel({
    title: 'Latest event',
    description: 'How long ago the latest recorded event began',
    queries: [
      sqlTable(
        'SELECT extract(epoch FROM now() - last_event_at) AS "age" FROM reporting.recording_health WHERE last_event_at IS NOT NULL',
      ),
    ],
    width: 4,
    unit: 's',
  }),
];

const traffic = [
  timePanel({
    title: 'Requests by how they ended',
    description: 'completed, failed, aborted by the agent, or killed by an operator',
    queries: [
      prom('sum by (outcome) (rate(agp_proxy_requests_total{provider=~"$provider"}[$__rate_interval]))', '{{outcome}}'),
    ],
    width: 8,
    unit: 'reqps',
  }),
  timePanel({
    title: 'Answers of providers by status',
    description:
      'An error that a provider answers with is a completed request; 429 is the limit of the account with it',
    queries: [
      prom(
        'sum by (status) (rate(agp_proxy_provider_answers_total{provider=~"$provider"}[$__rate_interval]))',
        '{{status}}',
      ),
    ],
    width: 8,
    unit: 'reqps',
  }),
  timePanel({
    title: 'Requests by provider',
    description: 'Forwarded requests',
    queries: [
      prom(
        'sum by (provider) (rate(agp_proxy_requests_total{provider=~"$provider"}[$__rate_interval]))',
        '{{provider}}',
      ),
    ],
    width: 8,
    unit: 'reqps',
  }),
];

const perDay = (title: string, description: string, unit: string, columns: string) =>
  timePanel(
    {
      title,
      description,
      queries: [
        sqlTime(
          `SELECT day_start AS "time", ${columns}\nFROM reporting.daily_usage WHERE ${inDays}\nGROUP BY day_start ORDER BY day_start`,
        ),
      ],
      width: 8,
      unit,
    },
    'bars',
  );

const usage = [
  perDay('Requests a day', 'Recorded requests by UTC day', 'short', 'sum(request_count) AS "requests"'),
  perDay(
    'Tokens a day',
    'Input and output, cached and reasoning tokens included, by UTC day',
    'short',
    'sum(prompt_tokens) AS "input", sum(completion_tokens) AS "output"',
  ),
  perDay('Cost a day', 'By UTC day', 'currencyUSD', 'sum(cost_usd) AS "cost"'),
  tablePanel({
    title: 'Models',
    description: 'Days that the chosen time touches; the costliest first',
    queries: [
      sqlTable(
        `SELECT model AS "Model", sum(requests) AS "Requests", sum(tokens) AS "Tokens", sum(cost) AS "Cost",\n` +
          `  count(agent_name) AS "Agents"\nFROM ${usageByAgentAndModel}\nGROUP BY model ORDER BY sum(cost) DESC LIMIT 100`,
      ),
    ],
    width: 24,
    units: { Cost: 'currencyUSD' },
  }),
];

const refusals = [
  timePanel(
    {
      title: 'Refusals by reason',
      description: 'Requests that were not forwarded, by the code of their error, from the audit log',
      queries: [
        sqlTime(
          `SELECT $__timeGroup(since, $__interval) AS "time", reason AS metric, sum(refusal_count) AS "refusals"\n` +
            `FROM reporting.refusal_totals WHERE $__timeFilter(since)\nGROUP BY 1, 2 ORDER BY 1`,
        ),
      ],
      width: 12,
    },
    'bars',
  ),
  tablePanel({
    title: 'Refused agents',
    description: 'Agents whose requests were refused most; empty for requests of no registered agent',
    queries: [
      sqlTable(
        `SELECT agent_name AS "Agent", agent_status AS "Status", reason AS "Reason", sum(refusal_count) AS "Refusals",\n` +
          `  max(since) AS "Last"\nFROM reporting.refusal_totals\nWHERE $__timeFilter(since) AND agent_status IS DISTINCT FROM 'retired'\n` +
          'GROUP BY 1, 2, 3 ORDER BY 4 DESC LIMIT 100',
      ),
    ],
    width: 12,
    height: 8,
  }),
];

const personalData = [
  timePanel(
    {
      title: 'Events with personal data or secrets',
      description: 'By hour and type of finding; an event with several types counts for each',
      queries: [
        sqlTime(
          `SELECT $__timeGroup(hour, $__interval) AS "time", kind AS metric, sum(event_count) AS "events"\n` +
            `FROM reporting.hourly_findings WHERE ${inHours}\nGROUP BY 1, 2 ORDER BY 1`,
        ),
      ],
      width: 12,
    },
    'bars',
  ),
  tablePanel({
    title: 'Agents with personal data or secrets',
    description: 'Events in which it was found, by agent and kind; retired agents left out',
    queries: [
      sqlTable(
        `SELECT agent_name AS "Agent", kind AS "Kind", sum(event_count) AS "Events", max(last_event_at) AS "Last"\n` +
          `FROM reporting.hourly_findings WHERE ${inHours} AND agent_status <> 'retired'\n` +
          'GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 100',
      ),
    ],
    width: 12,
    height: 8,
  }),
];

/** Traffic, its cost, refusals, and findings of personal data. */
export const overviewDashboard = makeDashboard({
  uid: 'agp-overview',
  title: 'AGP / Overview',
  description: 'Requests through the proxy, their cost, refusals, and personal data found',
  from: 'now-24h',
  variables: [providerVariable()],
  rows: [
    { title: 'Now', panels: now },
    { title: 'Traffic', panels: traffic },
    { title: 'Usage', panels: usage },
    { title: 'Refusals', panels: refusals },
    { title: 'Personal data', panels: personalData },
  ],
});
