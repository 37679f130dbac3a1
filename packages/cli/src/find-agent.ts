import { type Agent, agentListSchema } from '@agp/core/contracts';
import { fromPublicId } from '@agp/core/ids';
import { toLineText } from '@agp/core/text';
import type { Api } from './api.ts';
import { CliError } from './cli-error.ts';
import { pickId } from './find-id.ts';

/** The id of an agent that the user gave by id or name. */
export async function findAgentId(api: Api, nameOrId: string): Promise<string> {
  if (fromPublicId('agt', nameOrId) !== null) return nameOrId;
  const { data: agents } = await api.get('/api/v1/agents', agentListSchema);
  const id =
    agents.find(({ name }) => name === nameOrId)?.id ??
    pickId(
      'agt',
      nameOrId,
      agents.map((agent) => agent.id),
    );
  if (id === null)
    throw new CliError(
      `No agent is named ${toLineText(nameOrId)}; "agents list" shows all agents; an agent begins with its first request`,
    );
  return id;
}

/** The same for an option that may not have been given. */
export async function findGivenAgentId(api: Api, nameOrId: string | undefined): Promise<string | undefined> {
  return nameOrId === undefined ? undefined : findAgentId(api, nameOrId);
}

/** Names of agents by their ids; an id of no agent is shown as it is. */
interface AgentNames {
  find(agentId: string): string;
}

/** Reads the names of all agents once. */
export async function readAgentNames(api: Api): Promise<AgentNames> {
  const { data } = await api.get('/api/v1/agents', agentListSchema);
  const names = new Map(data.map(({ id, name }: Agent) => [id, name]));
  return { find: (agentId) => names.get(agentId) ?? agentId };
}
