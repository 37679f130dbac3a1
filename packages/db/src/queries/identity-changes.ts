import { randomUUIDv7 } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import type { Db } from '../database.ts';
import type { Schema } from '../schema.ts';
import { inTransaction } from '../statements.ts';
import { findNameOwner } from './identities.ts';

export type IdentityRow = Selectable<Schema['identities']>;

/** An issuer of workload identities, and as it was written; null if it was JSON. */
export interface WrittenIdentity {
  identity: { name: string; issuer: string };
  text: string | null;
}

export const listIdentities = (db: Db): Promise<IdentityRow[]> =>
  db.selectFrom('identities').selectAll().orderBy(sql`name COLLATE "C"`).execute();

export const readIdentity = (db: Db, id: string): Promise<IdentityRow | undefined> =>
  db.selectFrom('identities').selectAll().where('id', '=', id).executeTakeFirst();

/** Changes wait for each other, and each raises the version that requests read; a transaction that is rolled back does not. */
function changeIdentities<Result>(db: Db, change: (transaction: Db) => Promise<Result>): Promise<Result> {
  return inTransaction(db, async (transaction) => {
    await transaction.updateTable('control').set({ identity_version: sql<number>`identity_version + 1` }).execute();
    return change(transaction);
  });
}

type Taken = 'identity_name_taken' | 'issuer_taken';

/** Two with one issuer would both claim its tokens. */
function findTaken(others: readonly IdentityRow[], { name, issuer }: WrittenIdentity['identity']): Taken | null {
  if (others.some((each) => each.name === name)) return 'identity_name_taken';
  const isTaken = others.some(({ identity }) => (identity as { issuer?: unknown }).issuer === issuer);
  return isTaken ? 'issuer_taken' : null;
}

/** @param most that there may be */
export function createIdentity(
  db: Db,
  { identity, text }: WrittenIdentity,
  most: number,
): Promise<IdentityRow | Taken | 'too_many_identities'> {
  return changeIdentities(db, async (transaction) => {
    const known = await listIdentities(transaction);
    const taken = findTaken(known, identity);
    if (taken !== null) return taken;
    if (known.length >= most) return 'too_many_identities';
    return await transaction
      .insertInto('identities')
      .values({ id: randomUUIDv7(), name: identity.name, identity: JSON.stringify(identity), text })
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}

/**
 * Tokens that were exchanged by what it was are gone. Undefined for an unknown one.
 * @param make gets what is stored, once nobody else can change it
 */
export function replaceIdentity(
  db: Db,
  id: string,
  make: (before: IdentityRow) => WrittenIdentity,
): Promise<{ before: IdentityRow; after: IdentityRow } | Taken | undefined> {
  return changeIdentities(db, async (transaction) => {
    const known = await listIdentities(transaction);
    const before = known.find((row) => row.id === id);
    if (before === undefined) return undefined;
    const { identity, text } = make(before);
    const others = known.filter((row) => row !== before);
    const taken = findTaken(others, identity);
    if (taken !== null) return taken;
    const after = await transaction
      .updateTable('identities')
      .set({
        name: identity.name,
        identity: JSON.stringify(identity),
        text,
        version: sql<number>`version + 1`,
        updated_at: sql<Date>`greatest(clock_timestamp(), updated_at + interval '1 millisecond')`,
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await transaction.deleteFrom('exchanged_tokens').where('identity_id', '=', id).execute();
    return { before, after };
  });
}

/** Its exchanged tokens go with it; its agents' names stay claimed, by nobody. */
export function deleteIdentity(db: Db, id: string): Promise<IdentityRow | undefined> {
  return changeIdentities(db, (transaction) =>
    transaction.deleteFrom('identities').where('id', '=', id).returningAll().executeTakeFirst(),
  );
}

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
  return changeIdentities(db, async (transaction) => {
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
