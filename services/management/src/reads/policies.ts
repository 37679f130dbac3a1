import type { Team } from '@agp/core/contracts';
import { toPublicId } from '@agp/core/ids';
import { countTeamHits, type Db, listPolicies, type PolicyHits, type PolicyRow } from '@agp/db';
import { type Policy, policySchema, type StoredPolicy } from '@agp/policy';
import { endTurn } from '@agp/runtime';
import { LRUCache } from 'lru-cache';

export const presentPolicy = ({
  id,
  version,
  policy,
  text,
  team,
  created_at,
  updated_at,
}: PolicyRow): StoredPolicy => ({
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
  for (const row of await listPolicies(db)) {
    policies.push(presentPolicy(row));
    await endTurn();
  }
  return policies;
}

/** By the match of a team: it costs as much as a page of its events, and lists ask every few seconds. */
const teamHits = new LRUCache<string, Map<string, PolicyHits>>({ max: 100, ttl: 60_000 });

/** What policies did to a team's requests since a time, at most a minute old. */
export async function readTeamHits(db: Db, match: Team, since: Date): Promise<Map<string, PolicyHits>> {
  const key = JSON.stringify(match);
  const hits = teamHits.get(key) ?? (await countTeamHits(db, since));
  if (!teamHits.has(key)) teamHits.set(key, hits);
  return hits;
}
