import { type AgentBudget, type Budget, type BudgetList, budgetListSchema, budgetSchema } from '@agp/core/contracts';
import type { Command } from 'commander';
import { addCommand, addReason, type ReasonOption } from '../add-command.ts';
import { CliError } from '../cli-error.ts';
import type { Answer } from '../connect-api.ts';
import type { Shell } from '../create-shell.ts';
import { findAgentId } from '../find-agent.ts';
import type { Column } from '../format/format-table.ts';
import { formatCap, formatUsd } from '../format/format-values.ts';
import type { Style } from '../open-terminal.ts';
import { parseUsd } from '../parse-arguments.ts';
import { readTarget, type TargetOptions } from '../read-target.ts';
import { writeQuery } from '../write-query.ts';

type Row = Budget & { name: string };

function chooseStyle({ remaining_usd, warn_only }: Budget): Style | undefined {
  if (remaining_usd !== 0) return undefined;
  return warn_only ? 'yellow' : 'red';
}

const columns: Column<Row>[] = [
  { head: 'AGENT', cell: ({ name }) => name, least: 12 },
  { head: 'CAP (USD)', right: true, cell: ({ daily_cap_usd }) => formatCap(daily_cap_usd) },
  { head: 'SPENT', right: true, cell: ({ spent_usd }) => formatUsd(spent_usd) },
  { head: 'RESERVED', right: true, cell: ({ reserved_usd }) => formatUsd(reserved_usd), spare: 1 },
  { head: 'REMAINING', right: true, cell: ({ remaining_usd }) => formatCap(remaining_usd), style: chooseStyle },
  { head: '', cell: ({ warn_only }) => (warn_only ? 'warns only' : '') },
];

const isUse = new Set(['SPENT', 'RESERVED', 'REMAINING']);

const toRow = (agent: AgentBudget): Row => ({ ...agent, name: agent.agent_name });

function pickAgent(answer: Answer<BudgetList>, agentId: string): Answer<AgentBudget> {
  const data = answer.data.agents.find(({ agent_id }) => agent_id === agentId);
  if (data === undefined) throw new CliError('agent not found; "agents list" shows all agents');
  return { ...answer, data, text: JSON.stringify(data) };
}

/** `budgets`: what may be spent in a UTC day. */
export function addBudgetCommands(program: Command, shell: Shell): void {
  const budgets = program.command('budgets').description('what may be spent in a UTC day');

  addCommand(budgets, 'show [agent]', "show today's budgets, or one agent's", 'budgets show invoice-checker').action(
    async (agent?: string) => {
      const { api } = shell;
      const id = agent === undefined ? null : await findAgentId(api, agent);
      const answer = await api.get('/api/v1/budgets', budgetListSchema);
      if (id !== null) return shell.showRows(pickAgent(answer, id), (data) => [toRow(data)], columns);
      await shell.showRows(
        answer,
        ({ global, agents }) => [{ ...global, name: '(all together)' }, ...agents.map(toRow)],
        columns,
      );
      if (shell.json) return;
      const { day, default_agent_cap_usd: cap, default_warn_only: warns } = answer.data;
      await shell.terminal.print(
        `\nUTC day ${day}; new agents get a cap of ${formatCap(cap)}${warns ? ', which warns only' : ''}`,
      );
    },
  );

  addReason(addCommand(budgets, 'set <words...>', 'set a daily cap, or none', 'budgets set invoice-checker 12.50'))
    .usage(
      '<agent> <usd|none> [options]\n       ... budgets set --global <usd|none>\n       ... budgets set --default <usd|none>',
    )
    .option('--global', 'the cap of all agents together')
    .option('--default', 'the cap that new agents begin with; it changes nothing for those that exist')
    .option('--warn-only', 'let requests over the cap through, and count them')
    .action(async (words: string[], options: TargetOptions & ReasonOption & { warnOnly?: boolean }) => {
      const target = readTarget(words, options, parseUsd);
      const { api } = shell;
      const last = target.kind === 'agent' ? `agents/${await findAgentId(api, target.agent)}` : target.kind;
      const body = { daily_cap_usd: target.value, ...(options.warnOnly && { warn_only: true }) };
      const path = writeQuery(`/api/v1/budgets/${last}`, { reason: options.reason });
      const answer = await api.send('PUT', path, body, budgetSchema);
      const name = {
        agent: target.kind === 'agent' ? target.agent : '',
        global: '(all together)',
        default: '(new agents)',
      };
      // New agents have spent nothing.
      const shown = target.kind === 'default' ? columns.filter(({ head }) => !isUse.has(head)) : columns;
      await shell.showRows(answer, (data) => [{ ...data, name: name[target.kind] }], shown);
    });
}
