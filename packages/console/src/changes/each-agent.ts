import { countOf } from '@agp/core/explain';
import { callApi } from '../api/api.ts';

/** Agents that one dialog changes. */
export type Agents = readonly { id: string; name: string }[];

/** One by its name, several by their number. */
export const nameAgents = (agents: Agents): string =>
  agents.length === 1 ? (agents[0]?.name ?? '') : countOf(agents.length, 'agent');

/** One after the other; the rest are changed even if one is not. @throws Error that names those that were not */
export async function changeEach(agents: Agents, change: (id: string) => Promise<unknown>): Promise<void> {
  const [first] = agents;
  if (first !== undefined && agents.length === 1) return void (await change(first.id));
  const failed: string[] = [];
  for (const { id, name } of agents) await change(id).catch((error: Error) => failed.push(`${name}: ${error.message}`));
  if (failed.length > 0)
    throw new Error(`${failed.length} of ${agents.length} were not changed. ${failed.slice(0, 5).join('; ')}`);
}

interface AgentChange {
  status?: 'active' | 'blocked' | 'retired';
  blocked_until?: string;
  labels?: Record<string, string | null>;
}

export const putEach = (agents: Agents, reason: string | undefined, body: AgentChange): Promise<void> =>
  changeEach(agents, (id) =>
    callApi('put', '/api/v1/agents/{id}', { params: { path: { id }, query: { reason } }, body }),
  );
