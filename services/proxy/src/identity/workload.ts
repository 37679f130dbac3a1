import { randomUUIDv7 } from 'node:crypto';
import { ApiError } from '@agp/core/errors';
import { toPublicId } from '@agp/core/ids';
import type { Claim } from '@agp/db';
import { findOwnerFault } from '@agp/identities';
import type { LRUCache } from 'lru-cache';
import type { Storage } from '../storage/storage.ts';
import type { StorageDeadline } from '../storage/storage-deadline.ts';
import type { Identities, Proof, ShownJwt } from './identities.ts';

/** An agent's ids never change, so they may be remembered; its status may not. */
export interface Agent {
  uuid: string;
  id: string;
  name: string;
  /** UUID of the token that was shown; admission reads whether it still works. */
  tokenId: string | null;
  /** What its JWT proves; admission reads whether the name is still of that workload. Null without one. */
  claim: Claim | null;
}

/** What a request says of who calls. */
export interface Caller {
  /** Declared; with a token or a JWT it must be that's. */
  agentName: string | null;
  sourceIp: string;
  /** Of the issuers by which its JWTs were told apart; null without any. */
  identityVersion: number | null;
}

/** Agents that this process knows, and where it finds those that it does not. */
interface Agents {
  storage: Storage;
  identities: Identities;
  /** By name; the entries hold no token. */
  agents: LRUCache<string, Agent>;
  /** Registrations that run, by what they are proven with, and the name. */
  registering: Map<string, Promise<string | null>>;
}

/**
 * The agent of a verified workload. Its first request registers it, with its labels; no throttle holds back whom an issuer vouches for.
 * Null if the issuers have changed meanwhile.
 * @throws ApiError `unauthorized_agent`, `malformed_request`, `status_unavailable`, `issuer_unavailable`, `agent_of_another`
 */
export async function identifyWorkload(
  context: Agents,
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
  const { claim } = proof;
  const known = context.agents.get(keyOf(claim)) ?? (await findAgent(context, head, proof, deadline.at));
  if (known === null) {
    if (await isOutdated(context, head, deadline)) return null;
    throw await refuseOther(context, claim, deadline.at);
  }
  assureName(head.agentName, claim.name, known.name);
  return { ...known, claim };
}

/** @param others such as the name that an agent had before it was adopted, which it keeps */
function assureName(declared: string | null, ...others: (string | undefined)[]): void {
  if (declared === null || others.includes(declared)) return;
  throw new ApiError('malformed_request', 'the agent name is not that of the token');
}

/** No name of an agent is one. */
const keyOf = ({ identityId, name }: Claim) => `\n${identityId} ${name}`;

/** Null if the name is another's, or issuers have changed. */
async function findAgent(
  context: Agents,
  { agentName, sourceIp }: Caller,
  { workload, claim, version }: Proof,
  deadline: number,
): Promise<Agent | null> {
  const { storage } = context;
  const find = async () => {
    const owner = await storage.findNameOwner(claim.name, deadline);
    if (owner.agent === null || findOwnerFault(owner, claim) !== null) return null;
    if (owner.workload === null) await storage.fillWorkload(claim, deadline);
    return remember(context, keyOf(claim), owner.agent.id, owner.agent.name);
  };
  const found = await find();
  assureName(agentName, claim.name, found?.name);
  if (found !== null) return found;
  const metadata = { ...workload.labels, ...(workload.complianceTag && { compliance_tag: workload.complianceTag }) };
  const uuid = await once(context, `${claim.identityId} ${claim.workload} ${claim.name}`, () => {
    const agent = { id: randomUUIDv7(), name: claim.name, sourceIp, metadata, claim, identityVersion: version };
    return storage.registerWorkload(agent, deadline);
  });
  return uuid === null ? find() : remember(context, keyOf(claim), uuid, claim.name);
}

/** Why a workload may not be the agent of its name, which is looked up anew at the next request. */
export async function refuseOther(
  { agents, storage }: Pick<Agents, 'agents' | 'storage'>,
  claim: Claim,
  deadline: number,
): Promise<ApiError> {
  agents.delete(keyOf(claim));
  const fault = findOwnerFault(await storage.findNameOwner(claim.name, deadline), claim);
  // It changed meanwhile: the next request finds what it is.
  if (fault === null) return new ApiError('status_unavailable');
  return new ApiError('agent_of_another', `the agent that this token names ${fault}`);
}

/** Whether issuers have changed since the head was read; false if it holds no JWT. */
export async function isOutdated(
  { identities }: Agents,
  { identityVersion }: Caller,
  deadline: StorageDeadline,
): Promise<boolean> {
  if (identityVersion === null) return false;
  await identities.refresh(deadline.at);
  return identities.version !== identityVersion;
}

/** A known agent's ids never change. */
export function remember(context: Agents, key: string, uuid: string, name = key): Agent {
  const agent = { uuid, id: toPublicId('agt', uuid), name, tokenId: null, claim: null };
  context.agents.set(key, agent);
  return agent;
}

/** Registers a name once, however many first requests of it come together. */
export function once<Result extends string | null>(
  { registering }: Agents,
  key: string,
  run: () => Promise<Result>,
): Promise<Result> {
  const running = registering.get(key) as Promise<Result> | undefined;
  if (running) return running;
  const begun = run().finally(() => registering.delete(key));
  registering.set(key, begun);
  return begun;
}
