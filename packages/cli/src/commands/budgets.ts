import {
  type AgentBudget,
  type Budget,
  type BudgetList,
  budgetListSchema,
  budgetSchema,
  limitListSchema,
  limitSchema,
} from '@agp/core/contracts';
import { formatUsd } from '@agp/core/explain';
import { type Command, InvalidArgumentError } from 'commander';
import { type Answer, writeQuery } from '../api.ts';
import { addCommand, addReason, parseRate, parseUsd, type ReasonOption } from '../arguments.ts';
import { changeEach } from '../change-each.ts';
import { CliError, UsageError } from '../cli-error.ts';
import { findAgentId } from '../find-agent.ts';
import type { Shell } from '../shell.ts';
import type { Column } from '../table.ts';
import type { Style } from '../terminal.ts';
import { formatCap, formatRate } from '../values.ts';

interface TargetOptions {
  global?: boolean;
  default?: boolean;
}

/** What a cap or limit applies to, and its value. */
type Target<Value> = { value: Value } & (
  | { kind: 'global' | 'default' }
  | { kind: 'agents'; agents: readonly string[] }
);

function parseValue<Value>(text: string, parse: (text: string) => Value): Value {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof InvalidArgumentError) throw new UsageError(`${text}: ${error.message}`);
    throw error;
  }
}

/** Reads `<agent...> <value>`, or only a value after `--global` or `--default`. */
function readTarget<Value>(
  words: readonly string[],
  options: TargetOptions,
  parse: (text: string) => Value,
): Target<Value> {
  const agents = words.slice(0, -1);
  const value = words.at(-1) ?? '';
  if (options.global && options.default) throw new UsageError('--global and --default exclude each other');
  if (options.global || options.default) {
    if (words.length !== 1)
      throw new UsageError(`${options.global ? '--global' : '--default'} takes a value and no agent`);
    return { kind: options.global ? 'global' : 'default', value: parseValue(value, parse) };
  }
  if (agents.length === 0) throw new UsageError('name an agent, or several, and a value; --help shows how');
  return { kind: 'agents', agents, value: parseValue(value, parse) };
}

type BudgetRow = Budget & { name: string };

function chooseStyle({ remaining_usd, warn_only }: Budget): Style | undefined {
  if (remaining_usd !== 0) return undefined;
  return warn_only ? 'yellow' : 'red';
}

const budgetColumns: Column<BudgetRow>[] = [
  { head: 'AGENT', cell: ({ name }) => name, least: 12 },
  { head: 'CAP (USD)', right: true, cell: ({ daily_cap_usd }) => formatCap(daily_cap_usd) },
  { head: 'SPENT', right: true, cell: ({ spent_usd }) => formatUsd(spent_usd) },
  { head: 'RESERVED', right: true, cell: ({ reserved_usd }) => formatUsd(reserved_usd), spare: 1 },
  { head: 'REMAINING', right: true, cell: ({ remaining_usd }) => formatCap(remaining_usd), style: chooseStyle },
  { head: '', cell: ({ warn_only }) => (warn_only ? 'warns only' : '') },
];

const isUse = new Set(['SPENT', 'RESERVED', 'REMAINING']);

const toRow = (agent: AgentBudget): BudgetRow => ({ ...agent, name: agent.agent_name });

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
      if (id !== null) return shell.showRows(pickAgent(answer, id), (data) => [toRow(data)], budgetColumns);
      await shell.showRows(
        answer,
        ({ global, agents }) => [{ ...global, name: '(all together)' }, ...agents.map(toRow)],
        budgetColumns,
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
      '<agent...> <usd|none> [options]\n       ... budgets set --global <usd|none>\n       ... budgets set --default <usd|none>',
    )
    .option('--global', 'the cap of all agents together')
    .option('--default', 'the cap that new agents begin with; it changes nothing for existing ones')
    .option('--warn-only', 'let requests over the cap through, and count them')
    .action(async (words: string[], options: TargetOptions & ReasonOption & { warnOnly?: boolean }) => {
      const target = readTarget(words, options, parseUsd);
      const put = async (last: string, name: string) => {
        const body = { daily_cap_usd: target.value, ...(options.warnOnly && { warn_only: true }) };
        const path = writeQuery(`/api/v1/budgets/${last}`, { reason: options.reason });
        const answer = await shell.api.send('PUT', path, body, budgetSchema);
        // New agents have spent nothing.
        const shown = last === 'default' ? budgetColumns.filter(({ head }) => !isUse.has(head)) : budgetColumns;
        await shell.showRows(answer, (data) => [{ ...data, name }], shown);
      };
      if (target.kind === 'agents') await changeEach(shell, target.agents, (id, name) => put(`agents/${id}`, name));
      else await put(target.kind, target.kind === 'global' ? '(all together)' : '(new agents)');
    });
}

interface LimitRow {
  agent_name: string;
  requests_per_minute: number | null;
}

const limitColumns: Column<LimitRow>[] = [
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
        return shell.showRows({ ...answer, data, text: JSON.stringify(data) }, (row) => [row], limitColumns);
      }
      await shell.showRows(answer, ({ agents }) => agents, limitColumns);
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
    .usage('<agent...> <number|none> [options]\n       ... limits set --default <number|none>')
    .option('--default', 'the limit that new agents begin with; it changes nothing for existing ones')
    .action(async (words: string[], options: TargetOptions & ReasonOption) => {
      const target = readTarget(words, options, parseRate);
      if (target.kind === 'global') throw new UsageError('there is no limit of all agents together');
      const put = async (last: string, agent_name: string) => {
        const body = { requests_per_minute: target.value };
        const path = writeQuery(`/api/v1/limits/${last}`, { reason: options.reason });
        const answer = await shell.api.send('PUT', path, body, limitSchema);
        await shell.showRows(answer, (data) => [{ ...data, agent_name }], limitColumns);
      };
      if (target.kind === 'agents') await changeEach(shell, target.agents, (id, name) => put(`agents/${id}`, name));
      else await put('default', '(new agents)');
    });
}
