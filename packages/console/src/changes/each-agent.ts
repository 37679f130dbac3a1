import { countOf } from '@agp/core/explain';
import { callApi } from '../api/api.ts';

/** Agents that one dialog changes. */
export type Agents = readonly { id: string; name: string }[];

/** One by its name, several by their number. */
export const nameAgents = (agents: Agents): string =>
  agents.length === 1 ? (agents[0]?.name ?? '') : countOf(agents.length, 'agent');

/**
 * One after the other; the rest are changed even if one is not.
 * @param seen what was shown of each, as `If-Match` takes it
 * @throws Error that names those that were not
 */
export async function changeEach(
  agents: Agents,
  seen: readonly string[],
  change: (id: string, ifMatch: string | undefined, at: number) => Promise<unknown>,
): Promise<void> {
  const [first] = agents;
  if (first !== undefined && agents.length === 1) return void (await change(first.id, seen[0], 0));
  const failed: string[] = [];
  for (const [at, { id, name }] of agents.entries())
    await change(id, seen[at], at).catch((error: Error) => failed.push(`${name}: ${error.message}`));
  if (failed.length > 0)
    throw new Error(`${failed.length} of ${agents.length} were not changed. ${failed.slice(0, 5).join('; ')}`);
}

export interface AgentChange {
  status?: 'active' | 'blocked' | 'retired';
  blocked_until?: string;
  labels?: Record<string, string | null>;
}

/** @returns what `If-Match` takes of each since */
export async function putEach(
  agents: Agents,
  seen: readonly string[],
  reason: string | undefined,
  bodyOf: (at: number) => AgentChange,
): Promise<string[]> {
  const versions: string[] = [];
  await changeEach(agents, seen, async (id, ifMatch, at) => {
    const init = { params: { path: { id }, query: { reason } }, body: bodyOf(at), ifMatch };
    versions[at] = (await callApi('put', '/api/v1/agents/{id}', init)).data.updated_at;
  });
  return versions;
}

/** What the audit log says of a change that takes another back. */
export const undone = 'undone';
