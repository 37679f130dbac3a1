import { maxPageSize, type Refusal, refusalListSchema } from '@agp/core/contracts';
import type { Command } from 'commander';
import { addCommand } from '../add-command.ts';
import type { Shell } from '../create-shell.ts';
import { findGivenAgentId } from '../find-agent.ts';
import { type Column, timeColumn } from '../format/format-table.ts';
import { parsePageSize } from '../parse-arguments.ts';
import { writeQuery } from '../write-query.ts';

export const refusalColumns: Column<Refusal>[] = [
  { ...timeColumn<Refusal>('TIME', ({ timestamp }) => timestamp), spare: 1 },
  { head: 'AGENT', cell: ({ agent_name, agent_id }) => agent_name ?? agent_id ?? '-', least: 8 },
  { head: 'REASON', cell: ({ reason }) => reason, style: () => 'yellow' },
  { head: 'FROM', cell: ({ source_ip }) => source_ip, spare: 4 },
  { head: 'PROVIDER', cell: ({ provider }) => provider ?? '-', least: 6, spare: 3 },
  { head: 'PATH', cell: ({ path }) => path ?? '-', least: 16, spare: 2 },
  { head: 'REQUEST ID', cell: ({ request_id }) => request_id },
];

/** `refusals`: single refused requests. */
export function addRefusalsCommand(program: Command, shell: Shell): void {
  addCommand(
    program,
    'refusals',
    'list requests that the proxy refused, newest first; of many alike only the first of each minute',
    'refusals --agent invoice-checker --from 2026-11-20',
  )
    .option('--agent <agent>', 'only those of this agent, by name or id')
    .option('--reason <code>', 'only those refused with this code, such as agent_blocked')
    .option('--request-id <id>', 'only those with this request id')
    .option('--from <time>', 'only those of this time or later')
    .option('--to <time>', 'only those before this time')
    .option('--limit <n>', `at most so many, up to ${maxPageSize}`, parsePageSize, 50)
    .action(async ({ agent, requestId, ...given }) => {
      const filter = { agent_id: await findGivenAgentId(shell.api, agent), request_id: requestId };
      await shell.showList(writeQuery('/api/v1/refusals', { ...filter, ...given }), refusalListSchema, refusalColumns);
    });
}
