import { type Budget, budgetListSchema, budgetSchema, limitListSchema, limitSchema } from '@agp/core/contracts';
import { roundUsd } from '@agp/core/explain';
import { type Command, InvalidArgumentError } from 'commander';
import type { z } from 'zod';
import { addCommand, addReason, parseRate, parseUsd, type ReasonOption } from '../arguments.ts';
import { CliError, UsageError } from '../cli-error.ts';
import { addLabel, changeEach, findAgentId, type LabelOption } from '../find.ts';
import type { Shell } from '../shell.ts';
import { type Column, formatCap, formatRate, formatTime } from '../table.ts';
import type { Style } from '../terminal.ts';
import { addNamedBudgetCommands } from './named-budgets.ts';

type TargetOptions = ReasonOption & LabelOption & { global?: boolean; default?: boolean; warnOnly?: boolean };

interface Listed {
  name: string;
  /** Only of agents in a list. */
  labels?: string[];
  no_room_since?: string | null;
}

/** A quantity that each agent has one of, that new agents begin with, and perhaps all agents together. */
interface Quota<List extends { agents: (One & { agent_id: string; agent_name: string })[] }, One, Value> {
  /** Its name, also the last part of its path. */
  group: string;
  description: string;
  show: string;
  set: { summary: string; example: string; usage: string };
  list: z.ZodType<List>;
  one: z.ZodType<One>;
  parse: (text: string) => Value;
  toBody: (value: Value, options: TargetOptions) => object;
  columns: Column<One & Listed>[];
  /** Heads of columns that new agents have nothing for. */
  notOfNew: readonly string[];
  /** The budget of all agents together. */
  pickGlobal?: (list: List) => One;
  /** Below the table of all. */
  footer: (list: List) => string;
}

/** Reads `<agent...> <value>`, or only a value after `--global` or `--default`. */
function readTarget<Value>(words: readonly string[], options: TargetOptions, parse: (text: string) => Value) {
  const [agents, text = ''] = [words.slice(0, -1), words.at(-1)];
  if (options.global && options.default) throw new UsageError('--global and --default exclude each other');
  const kind: keyof typeof names | null = options.global ? 'global' : options.default ? 'default' : null;
  if (kind !== null && agents.length > 0) throw new UsageError(`--${kind} takes a value and no agent`);
  if (kind !== null && options.label !== undefined) throw new UsageError(`--${kind} and --label exclude each other`);
  if (kind === null && agents.length === 0 && options.label === undefined)
    throw new UsageError('name an agent, or several, and a value; --help shows how');
  try {
    return { kind, agents, value: parse(text) };
  } catch (error) {
    if (error instanceof InvalidArgumentError) throw new UsageError(`${text}: ${error.message}`);
    throw error;
  }
}

const names = { global: '(all together)', default: '(new agents)' };

function addQuota<List extends { agents: (One & { agent_id: string; agent_name: string })[] }, One, Value>(
  program: Command,
  shell: Shell,
  quota: Quota<List, One, Value>,
): Command {
  const { columns, pickGlobal } = quota;
  const group = program.command(quota.group).description(quota.description);
  const root = `/api/v1/${quota.group}`;

  addCommand(group, 'show [agent]', quota.show, `${quota.group} show invoice-checker`).action(
    async (agent?: string) => {
      const id = agent === undefined ? null : await findAgentId(shell.api, agent);
      const answer = await shell.api.get(root, quota.list);
      const rows = answer.data.agents.map((each) => ({ ...each, name: each.agent_name }));
      if (id !== null) {
        const data = answer.data.agents.find(({ agent_id }) => agent_id === id);
        if (data === undefined) throw new CliError('agent not found; "agents list" shows all agents');
        const own = rows.filter(({ agent_id }) => agent_id === id);
        return shell.showRows({ ...answer, data, text: JSON.stringify(data) }, () => own, columns);
      }
      const all = pickGlobal ? [{ ...pickGlobal(answer.data), name: names.global }, ...rows] : rows;
      await shell.showRows(answer, () => all, columns);
      if (!shell.json) await shell.terminal.print(`\n${quota.footer(answer.data)}`);
    },
  );

  return addLabel(addReason(addCommand(group, 'set <words...>', quota.set.summary, quota.set.example)))
    .usage(quota.set.usage)
    .action(async (words: string[], options: TargetOptions) => {
      const { kind, agents, value } = readTarget(words, options, quota.parse);
      const put = async (last: string, name: string) => {
        const [body, query] = [quota.toBody(value, options), { reason: options.reason }];
        const answer = await shell.api.send('PUT', `${root}/${last}`, body, quota.one, query);
        const shown = last === 'default' ? columns.filter(({ head }) => !quota.notOfNew.includes(head)) : columns;
        await shell.showRows(answer, (data) => [{ ...data, name }], shown);
      };
      if (kind === null) await changeEach(shell, agents, options, (id, name) => put(`agents/${id}`, name));
      else await put(kind, names[kind]);
    });
}

function chooseStyle({ remaining_usd, warn_only }: Budget): Style | undefined {
  if (remaining_usd !== 0) return undefined;
  return warn_only ? 'yellow' : 'red';
}

/** `budgets`: daily caps, and budgets of other windows beside them. */
export function addBudgetCommands(program: Command, shell: Shell): void {
  const set = addQuota(program, shell, {
    group: 'budgets',
    description: 'what may be spent or used: by budgets, and by daily caps (show, set)',
    show: "show today's daily caps, or one agent's",
    set: {
      summary: 'set a daily cap, or none',
      example: 'budgets set invoice-checker 12.50',
      usage:
        '<agent...> <usd|none> [options]\n       ... budgets set --global <usd|none>\n       ... budgets set --default <usd|none>',
    },
    list: budgetListSchema,
    one: budgetSchema,
    parse: parseUsd,
    toBody: (daily_cap_usd, { warnOnly }) => ({ daily_cap_usd, ...(warnOnly && { warn_only: true }) }),
    columns: [
      { head: 'AGENT', cell: ({ name }) => name, least: 12 },
      { head: 'CAP (USD)', right: true, cell: ({ daily_cap_usd }) => formatCap(daily_cap_usd) },
      { head: 'SPENT', right: true, cell: ({ spent_usd }) => roundUsd(spent_usd) },
      { head: 'RESERVED', right: true, cell: ({ reserved_usd }) => roundUsd(reserved_usd), spare: 1 },
      { head: 'REMAINING', right: true, cell: ({ remaining_usd }) => formatCap(remaining_usd), style: chooseStyle },
      {
        head: '',
        cell: ({ warn_only, no_room_since: full }) =>
          [...(warn_only ? ['warns only'] : []), ...(full ? [`no room: refused ${formatTime(full)}`] : [])].join(', '),
        style: ({ no_room_since }) => (no_room_since ? 'red' : undefined),
      },
      { head: 'LABELS', cell: ({ labels }) => labels?.join(', ') ?? '', spare: 2 },
    ],
    notOfNew: ['SPENT', 'RESERVED', 'REMAINING', 'LABELS'],
    pickGlobal: ({ global }) => global,
    footer: ({ day, default_agent_cap_usd: cap, default_warn_only: warns }) =>
      `UTC day ${day}; new agents get a cap of ${formatCap(cap)}${warns ? ', which warns only' : ''}`,
  })
    .option('--global', 'the cap of all agents together')
    .option('--default', 'the cap that new agents begin with; it changes nothing for existing ones')
    .option('--warn-only', 'let requests over the cap through, and count them');
  addNamedBudgetCommands(set.parent as Command, shell);
}

/** `limits`: how many requests an agent may make in a minute. */
export function addLimitCommands(program: Command, shell: Shell): void {
  addQuota(program, shell, {
    group: 'limits',
    description: 'how many requests an agent may make in a minute',
    show: "show all limits, or one agent's",
    set: {
      summary: 'set the requests that an agent may make in a minute',
      example: 'limits set invoice-checker 60',
      usage: '<agent...> <number|none> [options]\n       ... limits set --default <number|none>',
    },
    list: limitListSchema,
    one: limitSchema,
    parse: parseRate,
    toBody: (requests_per_minute) => ({ requests_per_minute }),
    columns: [
      { head: 'AGENT', cell: ({ name }) => name, least: 12 },
      { head: 'REQUESTS A MINUTE', right: true, cell: ({ requests_per_minute }) => formatRate(requests_per_minute) },
    ],
    notOfNew: [],
    footer: ({ default_requests_per_minute: rate }) => `new agents get ${formatRate(rate)}`,
  }).option('--default', 'the limit that new agents begin with; it changes nothing for existing ones');
}
