import { randomUUIDv7 } from 'node:crypto';
import { isNewAgentName } from '@agp/core/contracts';
import { ApiError } from '@agp/core/errors';
import { toPublicId } from '@agp/core/ids';
import type { AgentTokenOwner } from '@agp/db';
import { toNetwork } from '@agp/runtime';
import type { ProxyContext } from '../context.ts';
import type { Agent, Head } from '../journey.ts';

/**
 * Finds the agent by its token, or else by the declared name; its first request registers it. `admit` reads whether a token still works.
 * @throws ApiError `unauthorized_agent`, `malformed_request`, `status_unavailable`, `too_many_registrations`
 */
export async function identify(context: ProxyContext, head: Head): Promise<Agent> {
  const deadline = head.arrived + context.config.storageTimeoutMs;
  const token = head.tokenSha256 === null ? null : await findToken(context, head.tokenSha256, deadline);
  if (token === null && context.config.agentIdentity === 'token') throw new ApiError('unauthorized_agent');
  if (token && head.agentName !== null && head.agentName !== token.agentName) {
    throw new ApiError('malformed_request', 'the agent name is not that of the agent token');
  }
  const name = token?.agentName ?? head.agentName ?? `unnamed-${head.sourceIp}`;
  const known = context.agents.get(name);
  if (known) return token ? { ...known, tokenId: token.id } : known;
  const uuid =
    (await context.storage.findAgentId(name, deadline)) ??
    (await registerOnce(context, head, { name, tokenId: token?.id ?? null }, deadline));
  const agent = { uuid, id: toPublicId('agt', uuid), name, tokenId: null };
  context.agents.set(name, agent);
  return token ? { ...agent, tokenId: token.id } : agent;
}

async function findToken(context: ProxyContext, sha256: string, deadline: number): Promise<AgentTokenOwner> {
  const known = context.tokens.get(sha256);
  if (known) return known;
  const found = await context.storage.findAgentToken(sha256, deadline);
  // An unknown token is not remembered: it may be issued at any moment.
  if (found === undefined) throw new ApiError('unauthorized_agent');
  context.tokens.set(sha256, found);
  return found;
}

type NewAgent = Pick<Agent, 'name' | 'tokenId'>;

/** Registers a name once, however many first requests of it come together. */
function registerOnce(context: ProxyContext, head: Head, agent: NewAgent, deadline: number): Promise<string> {
  const key = `${agent.tokenId} ${head.sourceIp} ${agent.name}`;
  const running = context.registering.get(key);
  if (running) return running;
  const registering = register(context, head, agent, deadline).finally(() => context.registering.delete(key));
  context.registering.set(key, registering);
  return registering;
}

async function register(
  context: ProxyContext,
  head: Head,
  { name, tokenId }: NewAgent,
  deadline: number,
): Promise<string> {
  if (tokenId === null && !isNewAgentName(name)) {
    throw new ApiError(
      'malformed_request',
      'the name of a new agent (x-agent-name, or in the path) must be in Unicode normalization form C, without characters that cannot be seen or pass for a space',
    );
  }
  const { allowed, retryAfterSeconds } = await context.registrations.consume(toNetwork(head.sourceIp));
  if (!allowed) {
    throw new ApiError('too_many_registrations', { headers: { 'Retry-After': String(retryAfterSeconds) } });
  }
  const agent = { id: randomUUIDv7(), name, sourceIp: head.sourceIp, tokenId };
  const uuid = await context.storage.registerAgent(agent, deadline);
  if (uuid === null) throw new ApiError('unauthorized_agent');
  return uuid;
}
