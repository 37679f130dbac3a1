/** Whose a name is, as it is stored. */
export interface NameOwner {
  /** The agent that it is; null if there is none yet. */
  agent: { id: string; name: string } | null;
  /** It needs a token, or the workload that has it. */
  isClaimed: boolean;
  /** The issuer whose workload has it; null if those with a token have it, or nobody. */
  identityId: string | null;
  /** The issuer's name; null if it is gone, or there is none. */
  issuer: string | null;
  /** The claims that made it, as JSON; null until the workload's first request. */
  workload: string | null;
}

/** Why a workload may not be the agent of the name that its rule makes; null if it may. */
export function findOwnerFault(owner: NameOwner, { identityId, workload }: { identityId: string; workload: string }) {
  if (!owner.isClaimed)
    return owner.agent === null ? null : 'is there already, and belongs to no issuer: adopt it first';
  if (owner.identityId === null) return 'belongs to those with an agent token for it: adopt it first';
  if (owner.identityId !== identityId)
    return owner.issuer === null ? 'belongs to an issuer that was removed' : 'belongs to another issuer';
  return [null, workload].includes(owner.workload) ? null : 'belongs to another workload of this issuer';
}
