import { randomUUIDv7 } from 'node:crypto';
import { ApiError } from '@agp/core/errors';
import { toPublicId } from '@agp/core/ids';
import type { ProxyContext } from '../context.ts';
import type { Agent, Head } from '../journey.ts';
import { storageWaitMs } from '../storage.ts';

/**
 * From the declared name to the agent; its first request registers it, active (decisions.md section 2, identity).
 *
 * @throws ApiError `status_unavailable`, `too_many_registrations`
 */
export async function identify(context: ProxyContext, head: Head): Promise<Agent> {
  const known = context.agents.get(head.agentName);
  if (known) return known;
  const deadline = head.arrived + storageWaitMs;
  const uuid =
    (await context.storage.findAgentId(head.agentName, deadline)) ?? (await register(context, head, deadline));
  const agent = { uuid, id: toPublicId('agt', uuid) };
  context.agents.set(head.agentName, agent);
  return agent;
}

async function register(context: ProxyContext, head: Head, deadline: number): Promise<string> {
  const { allowed, retryAfterSeconds } = await context.registrations.consume(head.sourceIp);
  if (!allowed) {
    throw new ApiError('too_many_registrations', undefined, { 'Retry-After': String(retryAfterSeconds) });
  }
  const agent = { id: randomUUIDv7(), name: head.agentName, sourceIp: head.sourceIp };
  return context.storage.registerAgent(agent, deadline);
}
