import {
  type Agent,
  agentEventListSchema,
  agentListQuerySchema,
  agentListSchema,
  agentOverviewSchema,
  agentSchema,
  budgetListSchema,
  costUsageSchema,
  limitListSchema,
  type Pause,
  pauseSchema,
  pauseStateSchema,
  retiredAgentSchema,
  type Stop,
} from '@agp/core/contracts';
import { formatCount, formatUsd } from '@agp/core/explain';
import { readLabels } from '@agp/core/labels';
import { toLineText } from '@agp/core/text';
import type { Command } from 'commander';
import { type Answer, type Api, writeQuery } from '../api.ts';
import { addCommand, addReason, parseExpiry, type ReasonOption } from '../arguments.ts';
import { ApiFailure, UsageError } from '../cli-error.ts';
import { changeEach, findAgentId } from '../find.ts';
import { addList } from '../list.ts';
import type { Shell } from '../shell.ts';
import { formatCap, formatRate, formatStop, formatTime, idColumn, timeColumn } from '../table.ts';
import type { Paint, Style } from '../terminal.ts';

const formatLabels = (metadata: Agent['metadata']) =>
  readLabels(metadata)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');

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

type Query = { reason?: string | undefined };

/** `team=sales` sets a label, `owner-` removes one. */
function readLabelChanges(words: readonly string[]): Record<string, string | null> {
  const changes = words.map((word): [string, string | null] => {
    const [, name, value, removed] = /^(?:([^=]+)=(.+)|([^=]+)-)$/s.exec(word) ?? [];
    if (name !== undefined && value !== undefined) return [name, value];
    if (removed !== undefined) return [removed, null];
    throw new UsageError(`${toLineText(word)}: must be name=value, or name- to remove a label`);
  });
  return Object.fromEntries(changes);
}

/** `agents`: the registry, and the kill switch. */
export function addAgentCommands(program: Command, shell: Shell): void {
  const agents = program.command('agents').description('the agents, and the kill switch');

  addList(agents, shell, 'list', 'list agents, oldest first unless ordered otherwise', {
    example: 'agents list --status blocked',
    path: '/api/v1/agents',
    query: agentListQuerySchema,
    expand: 'usage',
    schema: agentListSchema,
    columns: [
      { head: 'NAME', cell: ({ name }) => name, least: 20 },
      { head: 'STATUS', cell: ({ status }) => status, style: ({ status }) => statusStyles[status] },
      { ...timeColumn('LAST SEEN', 'last_seen_at'), spare: 1 },
      { head: 'TODAY (USD)', right: true, cell: ({ cost_today_usd = 0 }) => formatUsd(cost_today_usd), spare: 2 },
      { head: 'ADDRESS', cell: ({ source_ip }) => source_ip, spare: 3 },
      { ...timeColumn('CREATED', 'created_at'), spare: 4 },
      { head: 'LABELS', cell: ({ metadata }) => formatLabels(metadata), spare: 5 },
      idColumn,
    ],
  });

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
    change: (id: string, query: Query, until?: string) => Promise<void>,
  ) =>
    addReason(
      addCommand(
        agents,
        `${usage} <agent...>`,
        `${summary}; of several, each is reported, and it ends with 1 if one failed`,
        `agents ${usage} invoice-checker my-editor --reason incident-42`,
      ),
    ).action((words: string[], { reason, until }: ReasonOption & { until?: string }) =>
      changeEach(shell, words, (agentId) => change(agentId, { reason }, until)),
    );
  const setStatus = (status: Agent['status']) => async (agentId: string, query: Query, until?: string) => {
    const body = { status, ...(until !== undefined && { blocked_until: until }) };
    const answer = await shell.api.send('PUT', writeQuery(`/api/v1/agents/${agentId}`, query), body, agentSchema);
    await shell.show(
      answer,
      ({ name, id }, paint) =>
        `${toLineText(name)} (${id}) is ${paint(statusStyles[status], status)}${until ? ` until ${formatTime(until)}` : ''}`,
    );
  };
  const stop = 'refuse agents from their next request on, and end what they have running';
  addChange('block', stop, setStatus('blocked')).option(
    '--until <when>',
    'unblock them by itself: after a span such as 2h or 7d, or at a time',
    parseExpiry,
  );
  addChange('unblock', 'let agents work again', setStatus('active'));
  addReason(
    addCommand(
      agents,
      'label <agent> <label...>',
      'set labels of an agent, such as team, owner, note or compliance_tag, or remove them',
      'agents label invoice-checker team=sales owner-',
    ),
  ).action(async (agent: string, words: string[], { reason }: ReasonOption) => {
    const labels = readLabelChanges(words);
    const path = writeQuery(`/api/v1/agents/${await findAgentId(shell.api, agent)}`, { reason });
    const answer = await shell.api.send('PUT', path, { labels }, agentSchema);
    await shell.show(answer, ({ name, metadata }) => `${toLineText(name)}: ${formatLabels(metadata) || 'no labels'}`);
  });
  addChange(
    'retire',
    'retire agents: they leave the dashboards, and their requests still get through unless they are blocked',
    async (agentId, query) => {
      const path = writeQuery(`/api/v1/agents/${agentId}/retire`, query);
      await shell.show(await shell.api.send('POST', path, {}, retiredAgentSchema), ({ id }) => `${id} is retired`);
    },
  );
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
