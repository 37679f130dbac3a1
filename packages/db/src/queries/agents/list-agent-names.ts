import type { Db } from '../../database.ts';

/** The names of agents, by their UUIDs. */
export function listAgentNames(db: Db, ids: readonly string[]): Promise<{ id: string; name: string }[]> {
  return db.selectFrom('agents').select(['id', 'name']).where('id', 'in', ids).execute();
}
