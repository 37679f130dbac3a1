import {
  type Agent,
  type AgentOverview,
  agentListQuerySchema,
  agentListSchema,
  agentOverviewSchema,
  agentSchema,
  type CostUsageEntry,
  costUsageSchema,
  type Pause,
  pauseSchema,
  pauseStateSchema,
  retiredAgentSchema,
  type Stop,
} from '@agp/core/contracts';
import { formatCount, roundUsd } from '@agp/core/explain';
import { readLabels } from '@agp/core/labels';
import { toLineText } from '@agp/core/text';
import { adoptedSchema } from '@agp/identities';
import type { Command } from 'commander';
import { addCommand, addReason, parseExpiry, type ReasonOption } from '../arguments.ts';
import { UsageError } from '../cli-error.ts';
import { addLabel, changeEach, findAgentId, type LabelOption } from '../find.ts';
import { addList } from '../list.ts';
import type { Shell } from '../shell.ts';
import { formatCap, formatRate, formatStop, formatTime, idColumn, timeColumn } from '../table.ts';
import type { Paint, Style } from '../terminal.ts';
import { addEvidenceCommand } from './evidence.ts';

const formatLabels = (metadata: Agent['metadata']) =>
  readLabels(metadata)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');

const statusStyles: Record<Agent['status'], Style> = { active: 'green', blocked: 'red', retired: 'dim' };

/** All that is known of an agent. @param used over all time, as sums of the API have it */
function listFields(
  { agent, identity, block, budget }: AgentOverview,
  used: CostUsageEntry | undefined,
): [string, string][] {
  const spent = used && `${roundUsd(used.total_cost_usd)}, in ${formatCount(used.request_count)} requests`;
  return [
    ['id', agent.id],
    ['name', agent.name],
    ['status', agent.status],
    ...(identity
      ? [['workload', `${identity.name} of ${identity.issuer || 'an issuer that is gone'}`] as [string, string]]
      : []),
    ['latest address', agent.source_ip],
    ['metadata', JSON.stringify(agent.metadata)],
    ['created', formatTime(agent.created_at)],
    ['updated', formatTime(agent.updated_at)],
    ...(block ? [['blocked', formatStop(block)] as [string, string]] : []),
    ['last seen', formatTime(agent.last_seen_at)],
    ['spent in all (USD)', spent ?? '-'],
    ['spent today (USD)', roundUsd(budget?.spent_usd ?? agent.cost_today_usd)],
    ['cap a day (USD)', `${formatCap(agent.daily_cap_usd)}${agent.warn_only ? ' (warns only)' : ''}`],
    ['requests a minute', formatRate(agent.requests_per_minute)],
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
      { head: 'TODAY (USD)', right: true, cell: ({ cost_today_usd = 0 }) => roundUsd(cost_today_usd), spare: 2 },
      { head: 'ADDRESS', cell: ({ source_ip }) => source_ip, spare: 3 },
      { ...timeColumn('CREATED', 'created_at'), spare: 4 },
      { head: 'LABELS', cell: ({ metadata }) => formatLabels(metadata), spare: 5 },
      idColumn,
    ],
  });

  addCommand(agents, 'show <agent>', 'show one agent, by name or id', 'agents show invoice-checker').action(
    async (agent: string) => {
      const { api } = shell;
      const agent_id = await findAgentId(api, agent);
      const path = `/api/v1/agents/${agent_id}`;
      if (shell.json) return shell.show(await api.get(path, agentSchema), String);
      const { usage } = (await api.get('/api/v1/costs/usage', costUsageSchema, { agent_id })).data;
      await shell.showFields(await api.get(`${path}/overview`, agentOverviewSchema), (all) =>
        listFields(all, usage[0]),
      );
    },
  );

  addEvidenceCommand(agents, shell);

  const addChange = (
    usage: string,
    summary: string,
    change: (id: string, query: Query, until?: string) => Promise<void>,
  ) =>
    addLabel(
      addReason(
        addCommand(
          agents,
          `${usage} [agent...]`,
          `${summary}; of several, each is reported, and it ends with 1 if one failed`,
          `agents ${usage} invoice-checker my-editor --reason incident-42`,
        ),
      ),
    ).action((words: string[], { reason, until, label }: ReasonOption & LabelOption & { until?: string }) =>
      changeEach(shell, words, { label }, (agentId) => change(agentId, { reason }, until)),
    );
  const setStatus = (status: Agent['status']) => async (agentId: string, query: Query, until?: string) => {
    const body = { status, ...(until !== undefined && { blocked_until: until }) };
    const answer = await shell.api.send('PUT', `/api/v1/agents/${agentId}`, body, agentSchema, query);
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
    const path = `/api/v1/agents/${await findAgentId(shell.api, agent)}`;
    const answer = await shell.api.send('PUT', path, { labels }, agentSchema, { reason });
    await shell.show(answer, ({ name, metadata }) => `${toLineText(name)}: ${formatLabels(metadata) || 'no labels'}`);
  });
  addReason(
    addCommand(
      agents,
      'adopt <agent>',
      "make an agent an issuer's workload: its history stays, and tokens of its name go on until they are revoked",
      'agents adopt invoice-checker --identity production --as prod.invoice-checker',
    ),
  )
    .requiredOption('--identity <name>', 'the issuer')
    .requiredOption('--as <name>', "what the issuer's rules make of the workload's claims, as identities try shows it")
    .action(async (agent: string, { identity, as: name, reason }: ReasonOption & { identity: string; as: string }) => {
      const path = `/api/v1/agents/${await findAgentId(shell.api, agent)}/adopt`;
      const answer = await shell.api.send('POST', path, { identity, name }, adoptedSchema, { reason });
      await shell.show(answer, (now) => `${toLineText(now.agent_name)} is the workload ${now.name} of ${now.identity}`);
    });
  addChange(
    'retire',
    'retire agents: they leave the dashboards, and their requests still get through unless they are blocked',
    async (agentId, query) => {
      const answer = await shell.api.send('POST', `/api/v1/agents/${agentId}/retire`, {}, retiredAgentSchema, query);
      await shell.show(answer, ({ id }) => `${id} is retired`);
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
        await shell.show(await shell.api.send('PUT', '/api/v1/pause', { paused }, pauseSchema, { reason }), describe);
      },
    );
  set('on', true, 'refuse all agents from their next request on, and end what they have running');
  set('off', false, 'let all agents work again that are not blocked');
  addCommand(pause, 'status', 'show whether agents are paused', 'pause status').action(async () => {
    await shell.show(await shell.api.get('/api/v1/pause', pauseStateSchema), describe);
  });
}
