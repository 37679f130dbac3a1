import {
  type CostUsageEntry,
  costBreakdownSchema,
  costSummarySchema,
  costUsageQuerySchema,
  costUsageSchema,
  doubtfulUsageListSchema,
  labelOf,
  type ModelPrice,
  modelPriceListSchema,
  priceListQuerySchema,
  type UsageGroup,
  unpricedModelListSchema,
  unrecordedListQuerySchema,
  unrecordedRequestListSchema,
  type usageGroups,
} from '@agp/core/contracts';
import { formatCost, formatCount, formatEstimate, roundUsd } from '@agp/core/explain';
import type { Command } from 'commander';
import { writeQuery } from '../api.ts';
import { addCommand, addQuery, makeMonthOption } from '../arguments.ts';
import { addCsv, addList, readQuery } from '../list.ts';
import type { Shell } from '../shell.ts';
import { type Column, formatTime, timeColumn } from '../table.ts';
import { addExportCommand } from './focus.ts';
import { addReconcileCommand } from './reconcile.ts';

type Entry = Column<CostUsageEntry>;

const groupColumns: Record<keyof typeof usageGroups, Entry> = {
  hour: timeColumn('HOUR (UTC)', 'hour'),
  day: { head: 'DAY (UTC)', cell: ({ day }) => day ?? '-' },
  agent: { head: 'AGENT', cell: ({ agent_name, agent_id }) => agent_name ?? agent_id ?? '-' },
  model: { head: 'MODEL', cell: ({ model }) => model ?? '-' },
  provider: { head: 'PROVIDER', cell: ({ provider }) => provider ?? '-' },
  tag: { head: 'TAG', cell: ({ compliance_tag: tag }) => tag ?? '-' },
};

function columnOfGroup(group: UsageGroup): Entry {
  const label = labelOf(group);
  if (label === null) return groupColumns[group as keyof typeof usageGroups];
  return { head: label.toUpperCase(), cell: ({ labels }) => labels?.[label] ?? '(none)' };
}

const sumColumns: Entry[] = [
  { head: 'COST (USD)', right: true, cell: (row) => formatCost(row.total_cost_usd, row.total_tokens) },
  { head: 'REQUESTS', right: true, cell: ({ request_count }) => formatCount(request_count), spare: 1 },
  { head: 'FAILED', right: true, cell: ({ failed_count }) => formatCount(failed_count), spare: 2 },
  { head: 'P50', right: true, cell: ({ p50_ms }) => formatEstimate(p50_ms), spare: 4 },
  { head: 'P95', right: true, cell: ({ p95_ms }) => formatEstimate(p95_ms), spare: 3 },
  { head: 'FIRST P50', right: true, cell: ({ first_byte_p50_ms: ms }) => formatEstimate(ms), spare: 7 },
  { head: 'FIRST P95', right: true, cell: ({ first_byte_p95_ms: ms }) => formatEstimate(ms), spare: 8 },
  { head: 'TOKENS IN', right: true, cell: (row) => formatCount(row.total_prompt_tokens), spare: 6 },
  { head: 'TOKENS OUT', right: true, cell: (row) => formatCount(row.total_completion_tokens), spare: 5 },
];

function addReportCommand(costs: Command, shell: Shell): void {
  const report = addCommand(
    costs,
    'report',
    'sum up usage and cost of a range of time, in whole hours, UTC; the table by hour or day, else the costliest first',
    'costs report --from yesterday --to today --by agent,model --csv',
  ).addOption(makeMonthOption());
  const members = addQuery(addCsv(report), costUsageQuerySchema);
  report.action(async ({ csv, month, ...given }: Record<string, unknown> & { month?: object }) => {
    const query = { ...(await readQuery(shell, members, given)), ...month };
    const path = writeQuery('/api/v1/costs/usage', query);
    if (csv) return shell.showPages(path);
    const answer = await shell.api.get(path, costUsageSchema);
    const { from, to, group_by: groups } = answer.data;
    const inTime = groups.includes('hour') || groups.includes('day');
    const rows = ({ usage }: typeof answer.data) =>
      inTime ? usage : usage.toSorted((one, other) => other.total_cost_usd - one.total_cost_usd);
    const expected: Entry = {
      head: 'EXPECTED (USD)',
      right: true,
      cell: ({ expected_cost_usd: usd }) => roundUsd(usd ?? 0),
    };
    const isForecast = answer.data.usage.some(({ expected_cost_usd: usd }) => usd !== undefined);
    const [cost, ...others] = sumColumns as [Entry, ...Entry[]];
    const columns = [...groups.map(columnOfGroup), cost, ...(isForecast ? [expected] : []), ...others];
    await shell.showRows(answer, rows, columns);
    if (!shell.json && from !== null)
      shell.terminal.note(`from ${formatTime(from)} to ${to === null ? 'now' : formatTime(to)}`);
  });
}

/** `costs`: what was used and spent. */
export function addCostCommands(program: Command, shell: Shell): void {
  const costs = program.command('costs').description('what was used and spent');

  addCommand(costs, 'summary', 'show all agents together, over all time', 'costs summary').action(async () => {
    await shell.showFields(await shell.api.get('/api/v1/costs/summary', costSummarySchema), (summary) => [
      ['cost (USD)', formatCost(summary.total_cost_usd, summary.total_tokens)],
      ['requests', formatCount(summary.request_count)],
      ['agents', formatCount(summary.agent_count)],
      ['tokens in', formatCount(summary.total_prompt_tokens)],
      ['tokens out', formatCount(summary.total_completion_tokens)],
      ['from', formatTime(summary.date_from)],
      ['to', formatTime(summary.date_to)],
    ]);
  });

  addReportCommand(costs, shell);
  addReconcileCommand(costs, shell);
  addExportCommand(costs, shell);

  addList(costs, shell, 'breakdown', 'show each agent, the costliest first', {
    path: '/api/v1/costs/breakdown',
    csv: true,
    schema: costBreakdownSchema,
    columns: [
      { head: 'AGENT', cell: ({ agent_name }) => agent_name, least: 12 },
      { head: 'COST (USD)', right: true, cell: (row) => formatCost(row.total_cost_usd, row.total_tokens) },
      { head: 'REQUESTS', right: true, cell: ({ request_count }) => formatCount(request_count) },
      { head: 'TOKENS IN', right: true, cell: ({ total_prompt_tokens }) => formatCount(total_prompt_tokens) },
      { head: 'TOKENS OUT', right: true, cell: ({ total_completion_tokens }) => formatCount(total_completion_tokens) },
      { head: 'MODELS', cell: ({ models_used }) => models_used.join(', '), least: 16 },
    ],
  });
  addList(costs, shell, 'unpriced', 'show models and units that were used without a known price', {
    path: '/api/v1/costs/unpriced',
    schema: unpricedModelListSchema,
    columns: [
      { head: 'PROVIDER', cell: ({ provider }) => provider, least: 8 },
      { head: 'MODEL', cell: ({ model }) => model, least: 16 },
      { head: 'UNIT', cell: ({ unit }) => unit ?? 'all', least: 8 },
      { head: 'REQUESTS', right: true, cell: ({ request_count }) => formatCount(request_count) },
      { head: 'TOKENS IN', right: true, cell: ({ total_prompt_tokens }) => formatCount(total_prompt_tokens) },
      { head: 'TOKENS OUT', right: true, cell: ({ total_completion_tokens }) => formatCount(total_completion_tokens) },
      timeColumn('LAST SEEN', 'last_seen_at'),
    ],
  });
  addList(costs, shell, 'unrecorded', 'list requests that were forwarded and have no event, newest first', {
    example: 'costs unrecorded --agent invoice-checker',
    path: '/api/v1/costs/unrecorded',
    query: unrecordedListQuerySchema,
    schema: unrecordedRequestListSchema,
    columns: [
      timeColumn('STARTED', 'started_at'),
      { head: 'AGENT', cell: ({ agent_id, agent_name }) => agent_name ?? agent_id, least: 8 },
      { head: 'SESSION', cell: ({ session_id }) => session_id ?? '-', least: 8, spare: 3 },
      { head: 'PROVIDER', cell: ({ provider }) => provider ?? '-', least: 6, spare: 2 },
      { head: 'MODEL', cell: ({ model }) => model ?? '-', least: 8, spare: 1 },
      { head: 'COUNTS (USD)', right: true, cell: ({ cost_usd }) => roundUsd(cost_usd) },
      { head: 'WHY', cell: ({ reason }) => reason, least: 6 },
      { head: 'ID', cell: ({ event_id }) => event_id },
    ],
  });
  addList(costs, shell, 'doubtful', 'list calls whose recorded figures are in doubt, newest first', {
    example: 'costs doubtful --agent invoice-checker',
    path: '/api/v1/costs/doubtful',
    query: unrecordedListQuerySchema,
    schema: doubtfulUsageListSchema,
    columns: [
      timeColumn('STARTED', 'started_at'),
      { head: 'AGENT', cell: ({ agent_name, agent_id }) => agent_name ?? agent_id, least: 8 },
      { head: 'PROVIDER', cell: ({ provider }) => provider, least: 6, spare: 5 },
      { head: 'MODEL', cell: ({ model }) => model, least: 8, spare: 2 },
      { head: 'WHY', cell: ({ reason, ended_by_event_id: by }) => (by ? `billed by ${by}` : reason), least: 6 },
      { head: 'CLAIMED IN', right: true, cell: (row) => formatCount(row.claimed_prompt_tokens), spare: 4 },
      { head: 'CLAIMED OUT', right: true, cell: (row) => formatCount(row.claimed_completion_tokens), spare: 3 },
      { head: 'CLAIMED (USD)', right: true, cell: ({ claimed_cost_usd }) => roundUsd(claimed_cost_usd), spare: 1 },
      { head: 'RECORDED (USD)', right: true, cell: ({ cost_usd }) => roundUsd(cost_usd) },
      { head: 'ID', cell: ({ event_id }) => event_id },
    ],
  });
}

function formatPrices({ prices, add }: ModelPrice): string {
  if (add !== null) return add;
  const amounts = Object.entries(prices).map(([unit, price]) => {
    const steps = typeof price === 'number' ? [] : price.tiers.map((tier) => `, above ${tier.start}: ${tier.price}`);
    return `${unit} ${typeof price === 'number' ? price : price.base}${steps.join('')}`;
  });
  return amounts.join('; ') || '-';
}

/** `prices`: what models cost now. */
export function addPricesCommand(program: Command, shell: Shell): void {
  addList(
    program,
    shell,
    'prices',
    'list what models cost now, in USD by unit of PRICES_FILE; first those used without a price, with the entry to add',
    {
      example: 'prices --provider openai --search gpt-5',
      path: '/api/v1/prices',
      query: priceListQuerySchema,
      schema: modelPriceListSchema,
      columns: [
        { head: 'PROVIDER', cell: ({ provider }) => provider ?? '(every one)', least: 6 },
        { head: 'MODEL', cell: ({ model }) => model, least: 12 },
        { head: 'PRICES (USD)', cell: formatPrices, least: 20 },
        { head: 'SOURCE', cell: ({ price_version: version }) => version ?? 'unpriced', least: 8, spare: 2 },
        { ...timeColumn('SINCE', 'since'), spare: 1 },
        { ...timeColumn('UNPRICED', 'unpriced_at'), spare: 3 },
      ],
    },
  );
}
