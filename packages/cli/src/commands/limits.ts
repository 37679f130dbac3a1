import { limitListSchema, limitSchema } from '@agp/core/contracts';
import type { Command } from 'commander';
import { addCommand, addReason, type ReasonOption } from '../add-command.ts';
import { CliError, UsageError } from '../cli-error.ts';
import type { Shell } from '../create-shell.ts';
import { findAgentId } from '../find-agent.ts';
import type { Column } from '../format/format-table.ts';
import { formatRate } from '../format/format-values.ts';
import { parseRate } from '../parse-arguments.ts';
import { readTarget, type TargetOptions } from '../read-target.ts';
import { writeQuery } from '../write-query.ts';

interface Row {
  agent_name: string;
  requests_per_minute: number | null;
}

const columns: Column<Row>[] = [
  { head: 'AGENT', cell: ({ agent_name }) => agent_name, least: 12 },
  { head: 'REQUESTS A MINUTE', right: true, cell: ({ requests_per_minute }) => formatRate(requests_per_minute) },
];

/** `limits`: how many requests an agent may make in a minute. */
export function addLimitCommands(program: Command, shell: Shell): void {
  const limits = program.command('limits').description('how many requests an agent may make in a minute');

  addCommand(limits, 'show [agent]', "show all limits, or one agent's", 'limits show invoice-checker').action(
    async (agent?: string) => {
      const { api } = shell;
      const id = agent === undefined ? null : await findAgentId(api, agent);
      const answer = await api.get('/api/v1/limits', limitListSchema);
      if (id !== null) {
        const data = answer.data.agents.find(({ agent_id }) => agent_id === id);
        if (data === undefined) throw new CliError('agent not found; "agents list" shows all agents');
        return shell.showRows({ ...answer, data, text: JSON.stringify(data) }, (row) => [row], columns);
      }
      await shell.showRows(answer, ({ agents }) => agents, columns);
      if (shell.json) return;
      await shell.terminal.print(`\nnew agents get ${formatRate(answer.data.default_requests_per_minute)}`);
    },
  );

  const set = addCommand(
    limits,
    'set <words...>',
    'set the requests that an agent may make in a minute',
    'limits set invoice-checker 60',
  );
  addReason(set)
    .usage('<agent> <number|none> [options]\n       ... limits set --default <number|none>')
    .option('--default', 'the limit that new agents begin with; it changes nothing for those that exist')
    .action(async (words: string[], options: TargetOptions & ReasonOption) => {
      const target = readTarget(words, options, parseRate);
      if (target.kind === 'global') throw new UsageError('there is no limit of all agents together');
      const { api } = shell;
      const last = target.kind === 'agent' ? `agents/${await findAgentId(api, target.agent)}` : 'default';
      const body = { requests_per_minute: target.value };
      const path = writeQuery(`/api/v1/limits/${last}`, { reason: options.reason });
      const answer = await api.send('PUT', path, body, limitSchema);
      const agent_name = target.kind === 'agent' ? target.agent : '(new agents)';
      await shell.showRows(answer, (data) => [{ ...data, agent_name }], columns);
    });
}
