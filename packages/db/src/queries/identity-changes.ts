import { sql } from 'kysely';
import type { Db } from '../database.ts';
import { changeDocuments } from './documents.ts';
import { findNameOwner } from './identities.ts';

/** Whose workload an agent is, and by which name; the issuer is empty if it is gone. */
export async function readAgentIdentity(db: Db, agentId: string): Promise<{ issuer: string; name: string } | null> {
  const own = db.selectFrom('agents').select('name').where('id', '=', agentId);
  const claim = await db
    .selectFrom('claimed_names')
    .leftJoin('identities', 'identities.id', 'identity_id')
    .select(['claimed_names.name', 'identities.name as issuer'])
    .where('identity_id', 'is not', null)
    .where(({ or, and, eb }) =>
      or([eb('agent_id', '=', agentId), and([eb('claimed_names.name', '=', own), eb('agent_id', 'is', null)])]),
    )
    .executeTakeFirst();
  return claim === undefined ? null : { issuer: claim.issuer ?? '', name: claim.name };
}

/** An issuer by its name, and what it makes of the workload's claims. */
interface Adoption {
  identity: string;
  name: string;
  workload?: string | undefined;
}

type AdoptionFault = 'agent_not_found' | 'identity_not_found' | 'name_of_another_agent';

/**
 * Makes an agent an issuer's workload. Its own name stays, and needs a token from then on, if it did not before.
 * @returns its name; or why not, such as what it is already
 */
export function adoptAgent(
  db: Db,
  agentId: string,
  { identity, name, workload }: Adoption,
): Promise<{ agentName: string } | AdoptionFault | { issuer: string; name: string }> {
  return changeDocuments(db, 'identity', async (transaction) => {
    const agents = transaction.selectFrom('agents').select('name').where('id', '=', agentId).forUpdate();
    const agent = await agents.executeTakeFirst();
    if (agent === undefined) return 'agent_not_found';
    const issuers = transaction.selectFrom('identities').select('id').where('name', '=', identity);
    const issuer = await issuers.executeTakeFirst();
    if (issuer === undefined) return 'identity_not_found';
    const held = await readAgentIdentity(transaction, agentId);
    if (held !== null && held.issuer !== '') return held;
    const owner = await findNameOwner(transaction, name);
    const isOthers = owner.agent === null ? owner.isClaimed : owner.agent.id !== agentId;
    if (isOthers || (owner.issuer !== null && owner.identityId !== issuer.id)) return 'name_of_another_agent';
    const claims = transaction.insertInto('claimed_names');
    // It lets go of what it was of an issuer that is gone.
    await transaction.deleteFrom('claimed_names').where('agent_id', '=', agentId).execute();
    await transaction.deleteFrom('exchanged_tokens').where('agent_name', '=', agent.name).execute();
    const values = {
      identity_id: issuer.id,
      workload: workload ?? null,
      agent_id: name === agent.name ? null : agentId,
    };
    // Not if a workload's first request claimed the name since it was read.
    const claimed = await claims
      .values({ name, ...values })
      .onConflict((conflict) =>
        conflict
          .column('name')
          .doUpdateSet(values)
          .where(
            sql<boolean>`${owner.isClaimed} AND (claimed_names.identity_id, claimed_names.workload)
              IS NOT DISTINCT FROM (${owner.identityId}::uuid, ${owner.workload}::text)`,
          ),
      )
      .returning('name')
      .executeTakeFirst();
    if (claimed === undefined) return 'name_of_another_agent';
    await claims
      .values({ name: agent.name })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    return { agentName: agent.name };
  });
}
