import { toPublicId, uuidOf } from '@agp/core/ids';
import { type Db, listAgentNames } from '@agp/db';

/** Entries with the names of their agents; null where there is no agent. */
export async function addAgentNames<Entry extends { agent_id: string | null }>(
  db: Db,
  entries: readonly Entry[],
): Promise<(Entry & { agent_name: string | null })[]> {
  const ids = [...new Set(entries.flatMap(({ agent_id }) => agent_id ?? []))].map((id) => uuidOf('agt', id));
  const found = ids.length === 0 ? [] : await listAgentNames(db, ids);
  const names = new Map(found.map(({ id, name }) => [toPublicId('agt', id), name]));
  return entries.map((entry) => ({ ...entry, agent_name: names.get(entry.agent_id ?? '') ?? null }));
}
