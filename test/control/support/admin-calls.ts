import type { CreatedAgentToken } from '@agp/core/contracts';
import type { System } from '../../system/start-system.ts';

/** Makes a token for an agent, through the management API. */
export function makeToken(system: System, agentName: string, fields: object = {}): Promise<CreatedAgentToken> {
  return system.api('/api/v1/agent-tokens', {
    method: 'POST',
    body: JSON.stringify({ agent_name: agentName, ...fields }),
  });
}

async function remove(system: System, path: string): Promise<void> {
  const headers = { authorization: `Bearer ${system.apiKey}` };
  const { status } = await fetch(`${system.management.url}${path}`, { method: 'DELETE', headers });
  if (status !== 204) throw new Error(`DELETE ${path}: ${status}`);
}

export const revokeToken = (system: System, id: string): Promise<void> => remove(system, `/api/v1/agent-tokens/${id}`);

export const releaseName = (system: System, name: string): Promise<void> =>
  remove(system, `/api/v1/claimed-names/${encodeURIComponent(name)}`);
