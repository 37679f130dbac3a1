import { toPublicId } from '@agp/core/ids';
import { type Db, type DocumentRow, listDocuments } from '@agp/db';
import { type Policy, policySchema, type StoredPolicy } from '@agp/policy';
import { endTurn } from '@agp/runtime';

export const presentPolicy = ({
  id,
  version,
  policy,
  text,
  team,
  created_at,
  updated_at,
}: DocumentRow<'policy'>): StoredPolicy => ({
  id: toPublicId('pol', id),
  version,
  // One of a later release is shown as it is stored.
  policy: policySchema.safeParse(policy).data ?? (policy as Policy),
  text,
  team,
  created_at: created_at.toISOString(),
  updated_at: updated_at.toISOString(),
});

/** All policies, by name: a hundred long ones are read for longer than others may wait. */
export async function readPolicies(db: Db): Promise<StoredPolicy[]> {
  const policies: StoredPolicy[] = [];
  for (const row of await listDocuments(db, 'policy')) {
    policies.push(presentPolicy(row));
    await endTurn();
  }
  return policies;
}
