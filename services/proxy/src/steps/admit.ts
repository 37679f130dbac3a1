import { ApiError } from '@agp/core/errors';
import { complianceTagPattern } from '@agp/core/events';
import type { SessionClaim } from '@agp/db';
import { isAllowedPath } from '../allowed-paths.ts';
import type { ProxyContext } from '../context.ts';
import type { Admission, Agent, Head } from '../journey.ts';

/**
 * This request's look into storage: what governs the agent at this moment, never cached, and the claim of the session
 * for its agent.
 *
 * @param deadline when storage is given up, on the monotonic clock in milliseconds
 * @throws ApiError `status_unavailable`, `unauthorized_agent`, `paused`, `agent_blocked`, `path_not_allowed`, `request_too_large`, `session_of_another_agent`, `audit_unavailable`
 */
export async function admit(
  context: ProxyContext,
  head: Head,
  agent: Agent,
  sessionId: string,
  deadline: number,
): Promise<Admission> {
  const stored = await context.storage.readAdmission({ agentId: agent.uuid, tokenId: agent.tokenId }, deadline);
  const admittedAt = performance.now();
  if (stored === undefined) {
    // The row was deleted by hand. The next request registers the name anew; this one is of no known status.
    context.agents.delete(agent.name);
    throw new ApiError('status_unavailable', undefined, { 'Retry-After': '1' });
  }
  const needsToken = context.config.agentIdentity === 'token' || stored.nameIsClaimed || agent.tokenId !== null;
  if (needsToken && !stored.tokenIsValid) throw new ApiError('unauthorized_agent');
  if (stored.status === 'blocked') throw new ApiError('agent_blocked');
  if (!isAllowedPath(head.provider.allowPaths, head.method, head.path, head.operation)) {
    throw new ApiError('path_not_allowed');
  }
  if (stored.paused) throw new ApiError('paused', undefined, { 'Retry-After': '1' });
  if ((head.contentLength ?? 0) > context.config.maxRequestBytes) throw new ApiError('request_too_large');
  await claimSession(context, { sessionId, agentId: agent.uuid }, deadline);
  const { audit } = context.config;
  if (audit === 'strict' && context.outbox.size + context.load.forwarded >= context.outbox.capacity) {
    throw new ApiError('audit_unavailable', undefined, { 'Retry-After': '1' });
  }
  return {
    sessionId,
    complianceTag: chooseTag(stored.complianceTag, head.complianceTag),
    limits: stored,
    admittedAt,
  };
}

async function claimSession(context: ProxyContext, claim: SessionClaim, deadline: number): Promise<void> {
  let owner = context.sessionOwners.get(claim.sessionId);
  if (owner === undefined) {
    owner = await context.storage.claimSession(claim, deadline);
    if (owner !== undefined) context.sessionOwners.set(claim.sessionId, owner);
  }
  if (owner !== claim.agentId) throw new ApiError('session_of_another_agent');
}

/** What ops set on the agent counts before what the caller asks for. */
function chooseTag(ofAgent: string | null, ofCaller: string | null): string {
  if (ofAgent !== null && complianceTagPattern.test(ofAgent)) return ofAgent;
  return ofCaller ?? 'default';
}
