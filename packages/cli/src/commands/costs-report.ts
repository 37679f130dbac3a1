import { type CostUsageEntry, costUsageSchema, type UsageGroup } from '@agp/core/contracts';
import type { Command } from 'commander';
import { addCommand, addCsv, addTimeRange } from '../add-command.ts';
import type { Shell } from '../create-shell.ts';
import { findGivenAgentId } from '../find-agent.ts';
import { type Column, timeColumn } from '../format/format-table.ts';
import { formatCount, formatTime, formatUsd } from '../format/format-values.ts';
import { writeQuery } from '../write-query.ts';

type Entry = Column<CostUsageEntry>;

const groupColumns: Record<UsageGroup, Entry> = {
  hour: timeColumn('HOUR (UTC)', ({ hour }) => hour ?? null),
  day: { head: 'DAY (UTC)', cell: ({ day }) => day ?? '-' },
  agent: { head: 'AGENT', cell: ({ agent_name, agent_id }) => agent_name ?? agent_id ?? '-' },
  model: { head: 'MODEL', cell: ({ model }) => model ?? '-' },
  provider: { head: 'PROVIDER', cell: ({ provider }) => provider ?? '-' },
  tag: { head: 'TAG', cell: ({ compliance_tag: tag }) => tag ?? '-' },
};

const sumColumns: Entry[] = [
  { head: 'COST (USD)', right: true, cell: ({ total_cost_usd }) => formatUsd(total_cost_usd) },
  { head: 'REQUESTS', right: true, cell: ({ request_count }) => formatCount(request_count), spare: 1 },
  { head: 'TOKENS IN', right: true, cell: (row) => formatCount(row.total_prompt_tokens), spare: 3 },
  { head: 'TOKENS OUT', right: true, cell: (row) => formatCount(row.total_completion_tokens), spare: 2 },
];

/** `costs report`: sums of a range of time. */
export function addReportCommand(costs: Command, shell: Shell): void {
  const report = addCommand(
    costs,
    'report',
    'sum up usage and cost of a range of time, in whole hours, UTC; the table by hour or day, else the costliest first',
    'costs report --from yesterday --to today --by agent,model --csv',
  )
    .option('--agent <agent>', 'only that of this agent, by name or id')
    .option('--by <names>', 'some of hour, day, agent, model, provider, tag, with commas between them');
  addCsv(addTimeRange(report)).action(
    async ({
      agent,
      by,
      csv,
      ...range
    }: {
      agent?: string;
      by?: string;
      csv?: boolean;
      from?: string;
      to?: string;
    }) => {
      const agent_id = await findGivenAgentId(shell.api, agent);
      const path = writeQuery('/api/v1/costs/usage', { ...range, agent_id, group_by: by });
      if (csv) return shell.showPages(path);
      const answer = await shell.api.get(path, costUsageSchema);
      const { from, to, group_by: groups } = answer.data;
      const inTime = groups.includes('hour') || groups.includes('day');
      const rows = ({ usage }: typeof answer.data) =>
        inTime ? usage : usage.toSorted((one, other) => other.total_cost_usd - one.total_cost_usd);
      await shell.showRows(answer, rows, [...groups.map((name) => groupColumns[name]), ...sumColumns]);
      if (!shell.json && from !== null)
        shell.terminal.note(`from ${formatTime(from)} to ${to === null ? 'now' : formatTime(to)}`);
    },
  );
}
