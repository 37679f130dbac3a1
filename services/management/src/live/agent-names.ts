import { toPublicId, uuidOf } from '@agp/core/ids';
import { type Db, listAgentNames } from '@agp/db';
import { LRUCache } from 'lru-cache';
import { rememberedIds } from '../limits.ts';

/** By public ids; an unknown agent has none. */
export type FindNames = (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;

/** Those of the agents that a team's connections see now, with their names: labels may change at any moment. */
export async function findTeamAgents(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const uuids = [...new Set(ids)].map((id) => uuidOf('agt', id));
  const found = uuids.length === 0 ? [] : await listAgentNames(db, uuids);
  return new Map(found.map(({ id, name }) => [toPublicId('agt', id), name]));
}

/** Looks each name up once: an agent keeps its name. */
export function createNameFinder(db: Db): FindNames {
  const known = new LRUCache<string, string>({ max: rememberedIds });
  return async (ids) => {
    const names = new Map<string, string>();
    const missing: string[] = [];
    for (const id of new Set(ids)) {
      const name = known.get(id);
      if (name === undefined) missing.push(uuidOf('agt', id));
      else names.set(id, name);
    }
    if (missing.length === 0) return names;
    for (const { id, name } of await listAgentNames(db, missing)) {
      known.set(toPublicId('agt', id), name);
      names.set(toPublicId('agt', id), name);
    }
    return names;
  };
}
