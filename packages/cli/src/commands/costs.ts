import {
  costBreakdownSchema,
  costSummarySchema,
  doubtfulUsageListSchema,
  maxPageSize,
  unpricedModelListSchema,
  unrecordedRequestListSchema,
} from '@agp/core/contracts';
import type { Command } from 'commander';
import { addCommand } from '../add-command.ts';
import type { Shell } from '../create-shell.ts';
import { findAgentId } from '../find-agent.ts';
import { formatCount, formatTime, formatUsd } from '../format/format-values.ts';
import { parsePageSize, parseWhole } from '../parse-arguments.ts';
import { writeQuery } from '../write-query.ts';

/** `costs`: what was used and spent. */
export function addCostCommands(program: Command, shell: Shell): void {
  const costs = program.command('costs').description('what was used and spent');

  addCommand(costs, 'summary', 'show all agents together, over all time', 'costs summary').action(async () => {
    await shell.showFields(await shell.api.get('/api/v1/costs/summary', costSummarySchema), (summary) => [
      ['cost (USD)', formatUsd(summary.total_cost_usd)],
      ['requests', formatCount(summary.request_count)],
      ['agents', formatCount(summary.agent_count)],
      ['tokens in', formatCount(summary.total_prompt_tokens)],
      ['tokens out', formatCount(summary.total_completion_tokens)],
      ['from', formatTime(summary.date_from)],
      ['to', formatTime(summary.date_to)],
    ]);
  });

  addCommand(costs, 'breakdown', 'show each agent, the costliest first', 'costs breakdown').action(async () => {
    const answer = await shell.api.get('/api/v1/costs/breakdown', costBreakdownSchema);
    await shell.showRows(answer, (data) => data, [
      { head: 'AGENT', cell: ({ agent_name }) => agent_name },
      { head: 'COST (USD)', right: true, cell: ({ total_cost_usd }) => formatUsd(total_cost_usd) },
      { head: 'REQUESTS', right: true, cell: ({ request_count }) => formatCount(request_count) },
      { head: 'TOKENS IN', right: true, cell: ({ total_prompt_tokens }) => formatCount(total_prompt_tokens) },
      { head: 'TOKENS OUT', right: true, cell: ({ total_completion_tokens }) => formatCount(total_completion_tokens) },
      { head: 'MODELS', cell: ({ models_used }) => models_used.join(', ') },
    ]);
  });

  addCommand(costs, 'unpriced', 'show models that were used without a known price', 'costs unpriced').action(
    async () => {
      const answer = await shell.api.get('/api/v1/costs/unpriced', unpricedModelListSchema);
      await shell.showRows(answer, (data) => data, [
        { head: 'PROVIDER', cell: ({ provider }) => provider },
        { head: 'MODEL', cell: ({ model }) => model },
        { head: 'REQUESTS', right: true, cell: ({ request_count }) => formatCount(request_count) },
        { head: 'TOKENS IN', right: true, cell: ({ total_prompt_tokens }) => formatCount(total_prompt_tokens) },
        {
          head: 'TOKENS OUT',
          right: true,
          cell: ({ total_completion_tokens }) => formatCount(total_completion_tokens),
        },
        { head: 'LAST SEEN', cell: ({ last_seen_at }) => formatTime(last_seen_at) },
      ]);
    },
  );

  addCommand(
    costs,
    'unrecorded',
    'list requests that were forwarded and have no event, newest first',
    'costs unrecorded --agent invoice-checker',
  )
    .option('--agent <agent>', 'only those of this agent, by name or id')
    .option('--from <time>', 'only those of this time or later')
    .option('--to <time>', 'only those before this time')
    .option('--limit <n>', `at most so many, up to ${maxPageSize}`, parsePageSize, 50)
    .option('--offset <n>', 'leave out so many at the start', parseWhole(0))
    .action(async ({ agent, ...given }) => {
      const { api } = shell;
      const agent_id = agent === undefined ? undefined : await findAgentId(api, agent);
      const path = writeQuery('/api/v1/costs/unrecorded', { agent_id, ...given });
      await shell.showRows(await api.get(path, unrecordedRequestListSchema), (data) => data, [
        { head: 'STARTED', cell: ({ started_at }) => formatTime(started_at) },
        { head: 'AGENT', cell: ({ agent_id, agent_name }) => agent_name ?? agent_id },
        { head: 'SESSION', cell: ({ session_id }) => session_id ?? '-' },
        { head: 'PROVIDER', cell: ({ provider }) => provider ?? '-' },
        { head: 'MODEL', cell: ({ model }) => model ?? '-' },
        { head: 'COUNTS (USD)', right: true, cell: ({ cost_usd }) => formatUsd(cost_usd) },
        { head: 'WHY', cell: ({ reason }) => reason },
        { head: 'ID', cell: ({ event_id }) => event_id },
      ]);
    });

  addCommand(
    costs,
    'doubtful',
    'list calls whose recorded figures are not to be taken as they stand, newest first',
    'costs doubtful --agent invoice-checker',
  )
    .option('--agent <agent>', 'only those of this agent, by name or id')
    .option('--from <time>', 'only those of this time or later')
    .option('--to <time>', 'only those before this time')
    .option('--limit <n>', `at most so many, up to ${maxPageSize}`, parsePageSize, 50)
    .option('--offset <n>', 'leave out so many at the start', parseWhole(0))
    .action(async ({ agent, ...given }) => {
      const { api } = shell;
      const agent_id = agent === undefined ? undefined : await findAgentId(api, agent);
      const path = writeQuery('/api/v1/costs/doubtful', { agent_id, ...given });
      await shell.showRows(await api.get(path, doubtfulUsageListSchema), (data) => data, [
        { head: 'STARTED', cell: ({ started_at }) => formatTime(started_at) },
        { head: 'AGENT', cell: ({ agent_name, agent_id }) => agent_name ?? agent_id },
        { head: 'PROVIDER', cell: ({ provider }) => provider },
        { head: 'MODEL', cell: ({ model }) => model },
        { head: 'WHY', cell: ({ reason }) => reason },
        { head: 'CLAIMED IN', right: true, cell: (row) => formatCount(row.claimed_prompt_tokens) },
        { head: 'CLAIMED OUT', right: true, cell: (row) => formatCount(row.claimed_completion_tokens) },
        { head: 'CLAIMED (USD)', right: true, cell: ({ claimed_cost_usd }) => formatUsd(claimed_cost_usd) },
        { head: 'RECORDED (USD)', right: true, cell: ({ cost_usd }) => formatUsd(cost_usd) },
        { head: 'ID', cell: ({ event_id }) => event_id },
      ]);
    });
}
