import type { ClientBase } from 'pg';
import { toTextArray } from './array-literals.ts';
import type { CountedNames } from './counted-names.ts';
import type { RecordableEvent } from './recordable-event.ts';

/** Callers choose names: of each kind no more are kept, and what comes then is told to nobody. */
const maxSeen = 10_000;

const text = `
  INSERT INTO seen_names (kind, name, agent_id)
  SELECT * FROM unnest($1::text[], $2::text[], $3::uuid[]) AS seen (kind, name, agent_id)
  WHERE (SELECT count(*) FROM (SELECT FROM seen_names AS known WHERE known.kind = seen.kind LIMIT ${maxSeen}) AS counted) < ${maxSeen}
  ORDER BY kind, name COLLATE "C" ON CONFLICT (kind, name) DO NOTHING`;

/** Names in events that an alert may tell when they are first seen: `kind`, a line break, and the name. */
function* listNames({ model, provider, tools }: RecordableEvent['event']): Generator<string> {
  yield `model\n${model}`;
  yield `provider\n${provider}`;
  for (const { kind, names } of tools?.declared ?? tools?.called ?? [])
    yield `${kind === 'remote_mcp' ? kind : 'tool'}\n${names[0]}`;
}

/** Keeps names that were never seen, and who used them first. Returns, for its argument `counted`, those that it looked at. */
export async function addSeenNames(
  client: ClientBase,
  rows: readonly RecordableEvent[],
  counted: CountedNames,
): Promise<string[]> {
  const seen = new Map<string, string>();
  for (const { event, agentId } of rows)
    for (const name of listNames(event)) if (!seen.has(name) && !counted.hasAll([name])) seen.set(name, agentId);
  if (seen.size === 0) return [];
  const names = [...seen.keys()].map((each) => each.split('\n', 1).concat(each.slice(each.indexOf('\n') + 1)));
  await client.query({
    name: 'add-seen-names',
    text,
    values: [
      toTextArray(names.map(([kind = '']) => kind)),
      toTextArray(names.map(([, name = '']) => name)),
      toTextArray([...seen.values()]),
    ],
  });
  return [...seen.keys()];
}
