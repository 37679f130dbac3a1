import { randomUUIDv7 } from 'node:crypto';
import { isNewAgentName } from '@agp/core/contracts';
import { ApiError } from '@agp/core/errors';
import type { AgentTokenOwner } from '@agp/db';
import { toNetwork } from '@agp/runtime';
import type { ProxyContext } from '../context.ts';
import { refuseToken } from '../head/agent-token.ts';
import { type Agent, type Caller, identifyWorkload, isOutdated, once, remember } from '../identity/workload.ts';
import type { Head } from '../journey.ts';
import type { StorageDeadline } from '../storage/storage-deadline.ts';

type Shown = Caller & Pick<Head, 'jwt' | 'tokenSha256'>;

/**
 * Finds the agent by its JWT or its token, or else by the declared name; its first request registers it. `admit` reads whether they still
 * hold. Null if the issuers have changed since the head was read: it must be read again.
 * @throws ApiError `unauthorized_agent`, `malformed_request`, `status_unavailable`, `too_many_registrations`, `issuer_unavailable`,
 *   `agent_of_another`
 */
export async function identify(context: ProxyContext, head: Shown, deadline: StorageDeadline): Promise<Agent | null> {
  if (head.jwt !== null) return identifyWorkload(context, head, head.jwt, deadline);
  const token = head.tokenSha256 === null ? null : await findToken(context, head.tokenSha256, deadline.at);
  const needsToken = token === null && context.config.agentIdentity === 'token';
  if (needsToken && (await isOutdated(context, head, deadline))) return null;
  if (needsToken) throw refuseToken(head.identityVersion === null ? 'none' : 'noIssuer');
  if (token && head.agentName !== null && head.agentName !== token.agentName) {
    throw new ApiError('malformed_request', 'the agent name is not that of the agent token');
  }
  const name = token?.agentName ?? head.agentName ?? `unnamed-${head.sourceIp}`;
  const known = context.agents.get(name);
  if (known) return token ? { ...known, tokenId: token.id } : known;
  let uuid = await context.storage.findAgentId(name, deadline.at);
  if (uuid === null && (await isOutdated(context, head, deadline))) return null;
  uuid ??= await once(context, `${token?.id} ${head.sourceIp} ${name}`, () =>
    register(context, head, { name, tokenId: token?.id ?? null }, deadline.at),
  );
  const agent = remember(context, name, uuid);
  return token ? { ...agent, tokenId: token.id } : agent;
}

async function findToken(context: ProxyContext, sha256: string, deadline: number): Promise<AgentTokenOwner> {
  const known = context.tokens.get(sha256);
  if (known) return known;
  const found = await context.storage.findAgentToken(sha256, deadline);
  // An unknown token is not remembered: it may be issued at any moment.
  if (found === undefined) throw refuseToken('notValid');
  context.tokens.set(sha256, found);
  return found;
}

type NewAgent = Pick<Agent, 'name' | 'tokenId'>;

async function register(
  context: ProxyContext,
  head: Caller,
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
  if (uuid === null) throw refuseToken(tokenId === null ? 'claimed' : 'notValid');
  return uuid;
}
