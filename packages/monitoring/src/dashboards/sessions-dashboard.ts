import { sqlTable, sqlTime, statPanel, tablePanel, timePanel } from '../panels.ts';
import { agentVariable, intervalOf, makeDashboard, ofChosenAgents } from './make-dashboard.ts';

const started = `FROM reporting.sessions\nWHERE $__timeFilter(started_at) AND ${ofChosenAgents}`;

const figure = (title: string, description: string, column: string, unit: string) =>
  statPanel({
    title,
    description,
    queries: [sqlTable(`SELECT ${column} AS "value" ${started}`)],
    width: 6,
    unit,
  });

const figures = [
  figure('Sessions', 'That began in the chosen time', 'count(*)', 'short'),
  figure(
    'Middle duration',
    'From the first to the last event: half of the sessions took longer',
    'percentile_cont(0.5) WITHIN GROUP (ORDER BY duration_ms)',
    'ms',
  ),
  figure(
    'Middle cost',
    'Half of the sessions cost more',
    'percentile_cont(0.5) WITHIN GROUP (ORDER BY total_cost_usd)',
    'currencyUSD',
  ),
  figure(
    'With personal data',
    'Sessions in which personal data or secrets were found',
    'count(*) FILTER (WHERE pii_detected)',
    'short',
  ),
];

const list = (title: string, description: string, where: string, order: string) =>
  tablePanel({
    title,
    description,
    queries: [
      sqlTable(
        `SELECT session_id AS "Session", agent_name AS "Agent", agent_status AS "Status", started_at AS "Started",\n` +
          `  duration_ms AS "Duration", event_count AS "Events", total_tokens AS "Tokens", total_cost_usd AS "Cost",\n` +
          `  compliance_tag AS "Tag", pii_detected AS "Personal data"\nFROM reporting.sessions\n` +
          // Only their ids are sorted, which takes half as long over a month.
          `WHERE session_id IN (\n  SELECT session_id ${started}${where} ORDER BY ${order} LIMIT 200\n)\nORDER BY ${order}`,
      ),
    ],
    width: 24,
    units: { Cost: 'currencyUSD', Duration: 'ms' },
  });

/** Conversations: how many, how long, what they cost. */
export const sessionsDashboard = makeDashboard({
  uid: 'agp-sessions',
  title: 'AGP / Sessions',
  description: 'Sessions by when they began, of all agents, retired ones too',
  from: 'now-24h',
  variables: [agentVariable('agents')],
  rows: [
    { title: 'Sessions that began in the chosen time', panels: figures },
    {
      title: 'Over time',
      panels: [
        timePanel(
          {
            title: 'Sessions by when they began',
            description: 'By compliance tag of their latest event',
            queries: [
              sqlTime(
                `SELECT ${intervalOf('started_at')} AS "time", compliance_tag AS metric, count(*) AS "sessions"\n${started}\n` +
                  'GROUP BY 1, 2 ORDER BY 1',
              ),
            ],
            width: 12,
          },
          'bars',
        ),
        timePanel(
          {
            title: 'Cost by when the session began',
            description: 'All of a session counts where it began',
            queries: [
              sqlTime(
                `SELECT ${intervalOf('started_at')} AS "time", sum(total_cost_usd) AS "cost"\n${started}\n` +
                  'GROUP BY 1 ORDER BY 1',
              ),
            ],
            width: 12,
            unit: 'currencyUSD',
          },
          'bars',
        ),
      ],
    },
    {
      title: 'Lists',
      panels: [
        list('Latest sessions', 'The latest start first', '', 'started_at DESC'),
        list(
          'Costliest sessions',
          'Of those that began in the chosen time',
          '',
          'total_cost_usd DESC, started_at DESC',
        ),
        list(
          'Sessions with personal data',
          'Personal data or secrets were found in at least one event',
          ' AND pii_detected',
          'started_at DESC',
        ),
      ],
    },
  ],
});
