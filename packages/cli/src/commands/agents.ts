import { type Agent, agentListSchema, agentSchema, retiredAgentSchema } from '@agp/core/contracts';
import { toLineText } from '@agp/core/text';
import { type Command, Option } from 'commander';
import { addCommand, addPaging } from '../add-command.ts';
import type { Shell } from '../create-shell.ts';
import { findAgentId } from '../find-agent.ts';
import { formatTime } from '../format/format-values.ts';
import type { Style } from '../open-terminal.ts';
import { writeQuery } from '../write-query.ts';

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

/** `agents`: the registry, and the kill switch. */
export function addAgentCommands(program: Command, shell: Shell): void {
  const agents = program.command('agents').description('the agents, and the kill switch');

  addPaging(addCommand(agents, 'list', 'list agents, oldest first', 'agents list --status blocked'))
    .addOption(new Option('--status <status>', 'only those').choices(['active', 'blocked', 'retired']))
    .action((given) =>
      shell.showList(writeQuery('/api/v1/agents', given), agentListSchema, [
        { head: 'NAME', cell: ({ name }) => name },
        { head: 'STATUS', cell: ({ status }) => status, style: ({ status }) => statusStyles[status] },
        { head: 'ADDRESS', cell: ({ source_ip }) => source_ip },
        { head: 'CREATED', cell: ({ created_at }) => formatTime(created_at) },
        { head: 'ID', cell: ({ id }) => id },
      ]),
    );

  addCommand(agents, 'show <agent>', 'show one agent, by name or id', 'agents show invoice-checker').action(
    async (agent: string) => {
      const { api } = shell;
      await shell.showFields(await api.get(`/api/v1/agents/${await findAgentId(api, agent)}`, agentSchema), listFields);
    },
  );

  const setStatus = (usage: string, status: Agent['status'], summary: string) =>
    addCommand(agents, `${usage} <agent>`, summary, `agents ${usage} invoice-checker`).action(async (agent: string) => {
      const { api } = shell;
      const path = `/api/v1/agents/${await findAgentId(api, agent)}`;
      const answer = await api.send('PUT', path, { status }, agentSchema);
      await shell.show(
        answer,
        ({ name, id }, paint) => `${toLineText(name)} (${id}) is ${paint(statusStyles[status], status)}`,
      );
    });
  setStatus('block', 'blocked', 'refuse an agent from its next request on, and end what it has running');
  setStatus('unblock', 'active', 'let an agent work again');

  addCommand(
    agents,
    'retire <agent>',
    'retire an agent: it leaves the dashboards',
    'agents retire invoice-checker',
  ).action(async (agent: string) => {
    const { api } = shell;
    const path = `/api/v1/agents/${await findAgentId(api, agent)}/retire`;
    await shell.show(await api.send('POST', path, {}, retiredAgentSchema), ({ id }) => `${id} is retired`);
  });
}
