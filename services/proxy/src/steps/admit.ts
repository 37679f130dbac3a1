import { type BudgetSet, findCharges } from '@agp/budgets';
import type { Stop } from '@agp/core/contracts';
import { ApiError, errorTable } from '@agp/core/errors';
import { complianceTagPattern } from '@agp/core/events';
import { chargedLabels } from '@agp/core/labels';
import { toLineText } from '@agp/core/text';
import { handsOutCredential, runsHostedAgent } from '@agp/metering';
import type { Finding, RuleSet } from '@agp/policy';
import type { ProxyContext, Working } from '../context.ts';
import { refuseToken } from '../head/agent-token.ts';
import { isAllowedPath } from '../head/allowed-paths.ts';
import { decodeOnce } from '../head/query-parameters.ts';
import { toSessionId } from '../head/session-id.ts';
import { type Agent, refuseOther } from '../identity/workload.ts';
import type { Admission, Head } from '../journey.ts';
import { governHead } from '../policy/judge.ts';
import { toListedPath } from '../telemetry/shown-path.ts';

const noFindings: readonly Finding[] = [];

/**
 * Reads what governs the agent at this moment, never cached. Null if the issuers have changed since the head was read.
 * @param deadline on the monotonic clock in milliseconds
 * @throws ApiError `status_unavailable`, `unauthorized_agent`, `agent_of_another`, `paused`, `agent_blocked`, `credential_path`,
 *   `hosted_agent`, `path_not_allowed`, `policy_denied`, `request_too_large`, `audit_unavailable`
 */
export async function admit(
  context: ProxyContext,
  head: Head,
  agent: Agent,
  deadline: number,
): Promise<Admission | null> {
  const named = head.sessionName === null ? null : toSessionId(agent.id, head.sessionName);
  const knownOwner = named === null ? undefined : context.sessionOwners.get(named);
  const sessionId = knownOwner === undefined ? named : null;
  const stored = await context.storage.readAdmission(
    { agentId: agent.uuid, tokenId: agent.tokenId, claim: agent.claim, sessionId },
    deadline,
  );
  if (stored === undefined) {
    // The row was deleted by hand: the next request registers the name anew.
    context.agents.delete(agent.name);
    throw new ApiError('status_unavailable');
  }
  if (head.identityVersion !== null && head.identityVersion !== stored.identityVersion) {
    await context.identities.at(stored.identityVersion, deadline);
    return null;
  }
  if (agent.claim !== null && !stored.tokenIsValid) throw await refuseOther(context, agent.claim, deadline);
  const needsToken = context.config.agentIdentity === 'token' || stored.nameIsClaimed || agent.tokenId !== null;
  if (needsToken && !stored.tokenIsValid) {
    const isShown = agent.tokenId !== null;
    throw refuseToken(isShown ? 'notValid' : stored.nameIsClaimed ? 'claimed' : 'none');
  }
  if (stored.status === 'blocked') throw await refuseStopped(context, 'agent_blocked', agent.uuid);
  if (head.operation === null && handsOutCredential(decodeOnce(head.path))) {
    const message = `${toListedPath(head.path) ?? 'the path'} would hand out a credential of the provider, for calls past the proxy`;
    throw new ApiError('credential_path', message);
  }
  if (head.operation === null && !head.provider.allowsHostedAgents && runsHostedAgent(decodeOnce(head.path))) {
    const message = `${toListedPath(head.path) ?? 'the path'} is of agents that run at the provider, whose spend is not told and which no block stops`;
    throw new ApiError('hosted_agent', message);
  }
  if (!isAllowedPath(head.provider.allowPaths, head.method, head.path, head.operation)) {
    const { requestId, method, provider } = head;
    const path = toListedPath(head.path);
    context.warnings.pathNotAllowed({ requestId, agentId: agent.id, provider: provider.id, method, path });
    throw new ApiError('path_not_allowed');
  }
  if (stored.paused) throw await refuseStopped(context, 'paused', agent.uuid);
  if ((head.contentLength ?? 0) > context.config.maxRequestBytes) throw new ApiError('request_too_large');
  const { audit } = context.config;
  if (audit === 'strict' && context.outbox.size + context.load.promised >= context.outbox.capacity) {
    throw new ApiError('audit_unavailable');
  }
  if (sessionId !== null && stored.sessionOwner !== null) context.sessionOwners.set(sessionId, stored.sessionOwner);
  const rules = await findRules(context, stored.policyVersion, deadline);
  const all = stored.budgetVersion === 0 ? null : await context.budgets.at(stored.budgetVersion, deadline);
  const { metadata } = stored;
  const complianceTag = chooseTag(stored.complianceTag, head.complianceTag);
  return {
    isProven: stored.tokenIsValid,
    sessionOwner: knownOwner ?? stored.sessionOwner,
    complianceTag,
    limits: stored,
    admittedAt: stored.readAt,
    rules,
    budgets: all === null || all.budgets.length === 0 ? null : narrow(all, head, agent, metadata, complianceTag),
    metadata,
    findings: rules === null ? noFindings : governHead(head, agent, { rules, metadata, complianceTag }),
  };
}

/** The policies at the version that was read with the status, never older; null if there are none. */
async function findRules({ rules }: Working, version: number, deadline: number): Promise<RuleSet | null> {
  if (version === 0) return null;
  const read = await rules.at(version, deadline);
  return read.policies.length === 0 ? null : read;
}

/** Budgets that may count the request, whatever model it asks for; null if there is none. */
function narrow(
  set: BudgetSet,
  head: Head,
  { uuid: agentId, name: agent }: Agent,
  metadata: Admission['metadata'],
  tag: string,
): Admission['budgets'] {
  const labels = chargedLabels(metadata) ?? {};
  const call = { agentId, agent, labels, tag, provider: head.provider.id, models: null, sessionId: '' };
  const { all, boundsCost } = findCharges(set, call, head.timestamp);
  return all.length === 0 ? null : { set, labels, boundsCost };
}

/** The agent's tag, set by operators, overrides the caller's. */
function chooseTag(ofAgent: string | null, ofCaller: string | null): string {
  if (ofAgent !== null && complianceTagPattern.test(ofAgent)) return ofAgent;
  return ofCaller ?? 'default';
}

/** Since when an agent is blocked or all are paused, by whom and why, as far as agents may know it. Read for a refusal alone. */
export async function refuseStopped(
  { config, storage }: ProxyContext,
  reason: 'agent_blocked' | 'paused',
  agentId: string,
): Promise<ApiError> {
  const stop = await storage.findStop(reason === 'paused' ? null : agentId);
  return new ApiError(reason, stop === null ? {} : { message: writeStop(reason, stop, config.refusalTellsWhy) });
}

function writeStop(reason: 'agent_blocked' | 'paused', stop: Stop, tellsWhy: boolean): string {
  const toMinute = (at: string) => `${at.slice(0, 16).replace('T', ' ')} UTC`;
  const until = stop.until === undefined ? '' : ` until ${toMinute(stop.until)}`;
  const since = `${errorTable[reason].message} since ${toMinute(stop.since)}${until}`;
  if (!tellsWhy) return since;
  return toLineText(`${since} by ${stop.by}${stop.reason === null ? '' : `: ${stop.reason}`}`);
}
