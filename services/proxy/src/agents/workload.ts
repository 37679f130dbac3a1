import { randomUUIDv7 } from 'node:crypto';
import { ApiError } from '@agp/core/errors';
import { toPublicId } from '@agp/core/ids';
import type { Claim } from '@agp/db';
import type { ProxyContext } from '../context.ts';
import type { Proof, ShownJwt } from '../identity/identities.ts';
import type { Agent, Head } from '../journey.ts';
import type { StorageDeadline } from '../storage/storage-deadline.ts';

export type Caller = Pick<Head, 'agentName' | 'sourceIp' | 'identityVersion'>;

/**
 * The agent of a verified workload. Its first request registers it, with its labels; no throttle holds back whom an issuer vouches for.
 * Null if the issuers have changed meanwhile.
 * @throws ApiError `unauthorized_agent`, `malformed_request`, `status_unavailable`, `issuer_unavailable`, `agent_of_another`
 */
export async function identifyWorkload(
  context: ProxyContext,
  head: Caller,
  jwt: ShownJwt,
  deadline: StorageDeadline,
): Promise<Agent | null> {
  let proof: Proof;
  try {
    proof = context.identities.findProof(jwt) ?? (await deadline.pause(context.identities.prove(jwt)));
  } catch (error) {
    if (await isOutdated(context, head, deadline)) return null;
    throw error;
  }
  const { workload, claim } = proof;
  const name = workload.agent;
  if (head.agentName !== null && head.agentName !== name) {
    throw new ApiError('malformed_request', 'the agent name is not that of the token');
  }
  const known = context.agents.get(name);
  if (known) return { ...known, claim };
  const { sourceIp } = head;
  const metadata = { ...workload.labels, ...(workload.complianceTag && { compliance_tag: workload.complianceTag }) };
  const uuid =
    (await context.storage.findAgentId(name, deadline.at)) ??
    (await once(context, `${claim.identityId} ${claim.workload} ${name}`, async () => {
      const agent = { id: randomUUIDv7(), name, sourceIp, metadata, claim, identityVersion: proof.version };
      const registered = await context.storage.registerWorkload(agent, deadline.at);
      return registered ?? (await context.storage.findAgentId(name, deadline.at));
    }));
  if (uuid !== null) return { ...remember(context, name, uuid), claim };
  if (await isOutdated(context, head, deadline)) return null;
  throw await refuseOther(context, name, claim, deadline.at);
}

/** Why a workload may not be the agent of its name. */
export async function refuseOther(
  { storage }: Pick<ProxyContext, 'storage'>,
  name: string,
  claim: Claim,
  deadline: number,
): Promise<ApiError> {
  const owner = await storage.findNameOwner(name, deadline);
  const why = () => {
    if (!owner.isClaimed) return 'is there already, and belongs to no issuer: adopt it first';
    if (owner.claim === null) return 'belongs to those with an agent token for it: adopt it first';
    if (owner.claim.identityId === claim.identityId) return 'belongs to another workload of this issuer';
    return owner.issuer === null ? 'belongs to an issuer that was removed' : 'belongs to another issuer';
  };
  return new ApiError('agent_of_another', `the agent that this token names ${why()}`);
}

/** Whether issuers have changed since the head was read; false if it holds no JWT. */
export async function isOutdated(
  { identities }: ProxyContext,
  { identityVersion }: Caller,
  deadline: StorageDeadline,
): Promise<boolean> {
  if (identityVersion === null) return false;
  await identities.refresh(deadline.at);
  return identities.version !== identityVersion;
}

/** A known agent's ids never change. */
export function remember(context: ProxyContext, name: string, uuid: string): Agent {
  const agent = { uuid, id: toPublicId('agt', uuid), name, tokenId: null, claim: null };
  context.agents.set(name, agent);
  return agent;
}

/** Registers a name once, however many first requests of it come together. */
export function once<Result extends string | null>(
  { registering }: ProxyContext,
  key: string,
  run: () => Promise<Result>,
): Promise<Result> {
  const running = registering.get(key) as Promise<Result> | undefined;
  if (running) return running;
  const begun = run().finally(() => registering.delete(key));
  registering.set(key, begun);
  return begun;
}
