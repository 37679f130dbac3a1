import {
  type Agent,
  agentEventListSchema,
  agentListSchema,
  agentOverviewSchema,
  agentSchema,
  budgetListSchema,
  costUsageSchema,
  type ListedAgent,
  limitListSchema,
  type Pause,
  pauseSchema,
  pauseStateSchema,
  retiredAgentSchema,
  type Stop,
} from '@agp/core/contracts';
import { toLineText } from '@agp/core/text';
import { type Command, Option } from 'commander';
import { type Answer, type Api, writeQuery } from '../api.ts';
import { addCommand, addPaging, addReason, type ReasonOption } from '../arguments.ts';
import { ApiFailure, CliError } from '../cli-error.ts';
import { findAgentId } from '../find-agent.ts';
import type { Shell } from '../shell.ts';
import { idColumn, timeColumn } from '../table.ts';
import type { Paint, Style } from '../terminal.ts';
import { formatCap, formatCount, formatRate, formatStop, formatTime, formatUsd } from '../values.ts';

const statusStyles: Record<Agent['status'], Style> = { active: 'green', blocked: 'red', retired: 'dim' };

function listFields(agent: Agent): [string, string][] {
  return [
    ['id', agent.id],
    ['name', agent.name],
    ['status', agent.status],
    ['latest address', agent.source_ip],
    ['metadata', JSON.stringify(agent.metadata)],
    ['created', formatTime(agent.created_at)],
    ['updated', formatTime(agent.updated_at)],
  ];
}

/** An answer of the API; null if it refuses, so that what else is known is shown all the same. */
const orNull = async <Data>(answer: Promise<Answer<Data>>): Promise<Data | null> => {
  try {
    return (await answer).data;
  } catch (error) {
    if (error instanceof ApiFailure && error.status !== null) return null;
    throw error;
  }
};

async function listUse(api: Api, { id: agentId, status }: Agent): Promise<[string, string][]> {
  const isOf = ({ agent_id }: { agent_id: string }) => agent_id === agentId;
  const usage = writeQuery('/api/v1/costs/usage', { agent_id: agentId });
  const events = await orNull(api.get(`/api/v1/agents/${agentId}/events?limit=1`, agentEventListSchema));
  const used = (await orNull(api.get(usage, costUsageSchema)))?.usage[0];
  const budget = (await orNull(api.get('/api/v1/budgets', budgetListSchema)))?.agents.find(isOf);
  const limit = (await orNull(api.get('/api/v1/limits', limitListSchema)))?.agents.find(isOf);
  const block =
    status === 'blocked' && (await orNull(api.get(`/api/v1/agents/${agentId}/overview`, agentOverviewSchema)))?.block;
  const cap = budget && `${formatCap(budget.daily_cap_usd)}${budget.warn_only ? ' (warns only)' : ''}`;
  return [
    ...(block ? [['blocked', formatStop(block)] as [string, string]] : []),
    ['last seen', formatTime(events?.[0]?.timestamp ?? null)],
    [
      'spent in all (USD)',
      used ? `${formatUsd(used.total_cost_usd)}, in ${formatCount(used.request_count)} requests` : '-',
    ],
    ['spent today (USD)', budget ? formatUsd(budget.spent_usd) : '-'],
    ['cap a day (USD)', cap ?? '-'],
    ['requests a minute', limit ? formatRate(limit.requests_per_minute) : '-'],
  ];
}

/** `agents`: the registry, and the kill switch. */
export function addAgentCommands(program: Command, shell: Shell): void {
  const agents = program.command('agents').description('the agents, and the kill switch');

  addPaging(
    addCommand(agents, 'list', 'list agents, oldest first unless ordered otherwise', 'agents list --status blocked'),
  )
    .addOption(new Option('--status <status>', 'only those').choices(['active', 'blocked', 'retired']))
    .option('--search <text>', 'only those with this text in the name')
    .addOption(
      new Option(
        '--order <order>',
        'oldest first, by name, the dearest of today first, or the latest seen first',
      ).choices(['created', 'name', 'cost', 'seen']),
    )
    .action((given) =>
      shell.showList(
        writeQuery('/api/v1/agents', { ...given, expand: shell.json ? undefined : 'usage' }),
        agentListSchema,
        [
          { head: 'NAME', cell: ({ name }) => name, least: 20 },
          { head: 'STATUS', cell: ({ status }) => status, style: ({ status }) => statusStyles[status] },
          { ...timeColumn<ListedAgent>('LAST SEEN', ({ last_seen_at = null }) => last_seen_at), spare: 1 },
          { head: 'TODAY (USD)', right: true, cell: ({ cost_today_usd = 0 }) => formatUsd(cost_today_usd), spare: 2 },
          { head: 'ADDRESS', cell: ({ source_ip }) => source_ip, spare: 3 },
          { ...timeColumn<ListedAgent>('CREATED', ({ created_at }) => created_at), spare: 4 },
          idColumn('ID', ({ id }) => id),
        ],
      ),
    );

  addCommand(agents, 'show <agent>', 'show one agent, by name or id', 'agents show invoice-checker').action(
    async (agent: string) => {
      const { api } = shell;
      const answer = await api.get(`/api/v1/agents/${await findAgentId(api, agent)}`, agentSchema);
      const use = shell.json ? [] : await listUse(api, answer.data);
      await shell.showFields(answer, (data) => [...listFields(data), ...use]);
    },
  );

  const addChange = (
    usage: string,
    summary: string,
    change: (id: string, query: { reason?: string | undefined }) => Promise<void>,
  ) =>
    addReason(
      addCommand(
        agents,
        `${usage} <agent...>`,
        `${summary}; of several, each is reported, and it ends with 1 if one failed`,
        `agents ${usage} invoice-checker my-editor --reason incident-42`,
      ),
    ).action((words: string[], { reason }: ReasonOption) =>
      changeEach(words, async (agent) => change(await findAgentId(shell.api, agent), { reason })),
    );
  const setStatus = (status: Agent['status']) => async (agentId: string, query: { reason?: string | undefined }) => {
    const answer = await shell.api.send('PUT', writeQuery(`/api/v1/agents/${agentId}`, query), { status }, agentSchema);
    await shell.show(
      answer,
      ({ name, id }, paint) => `${toLineText(name)} (${id}) is ${paint(statusStyles[status], status)}`,
    );
  };
  const stop = 'refuse agents from their next request on, and end what they have running';
  addChange('block', stop, setStatus('blocked'));
  addChange('unblock', 'let agents work again', setStatus('active'));
  addChange(
    'retire',
    'retire agents: they leave the dashboards, and their requests still get through unless they are blocked',
    async (agentId, query) => {
      const path = writeQuery(`/api/v1/agents/${agentId}/retire`, query);
      await shell.show(await shell.api.send('POST', path, {}, retiredAgentSchema), ({ id }) => `${id} is retired`);
    },
  );

  /** Goes on after a failure, so that one wrong name keeps no other agent from being blocked. */
  async function changeEach(words: readonly string[], change: (agent: string) => Promise<void>): Promise<void> {
    const agents = [...new Set(words)];
    let failed = 0;
    for (const agent of agents) {
      try {
        await change(agent);
      } catch (error) {
        if (agents.length === 1 || !(error instanceof CliError)) throw error;
        failed += 1;
        shell.terminal.note(`${toLineText(agent)}: ${error.message}`);
      }
    }
    if (failed > 0) throw new CliError(`${failed} of ${agents.length} agents were not changed`);
  }
}

function describe({ paused, stop = null }: Pause & { stop?: Stop | null }, paint: Paint): string {
  return paused
    ? paint('red', `paused${stop ? ` ${formatStop(stop)}` : ''}: every agent is refused`)
    : paint('green', 'not paused: agents work');
}

/** `pause`: stops or resumes all agents. */
export function addPauseCommands(program: Command, shell: Shell): void {
  const pause = program.command('pause').description('stop and resume all agents at once');
  const set = (usage: string, paused: boolean, summary: string) =>
    addReason(addCommand(pause, usage, summary, `pause ${usage} --reason incident-42`)).action(
      async ({ reason }: ReasonOption) => {
        const path = writeQuery('/api/v1/pause', { reason });
        await shell.show(await shell.api.send('PUT', path, { paused }, pauseSchema), describe);
      },
    );
  set('on', true, 'refuse all agents from their next request on, and end what they have running');
  set('off', false, 'let all agents work again that are not blocked');
  addCommand(pause, 'status', 'show whether agents are paused', 'pause status').action(async () => {
    await shell.show(await shell.api.get('/api/v1/pause', pauseStateSchema), describe);
  });
}
