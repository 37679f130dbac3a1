import type { ClientBase } from 'pg';
import { toTextArray } from './array-literals.ts';
import type { RecordableEvent } from './recordable-event.ts';

/** Callers choose names: of each kind no more are kept, nor of one agent. What comes then is told to nobody, and that is told once. */
const maxSeen = { inAll: 10_000, ofAgent: 500 };
/** New names of one transaction that are looked at; the rest are when they come again. */
const mostNew = 500;
/** Beyond so many, all are forgotten. */
const maxKnown = 50_000;

const countUpTo = (most: number, matching: string) =>
  `${most} - (SELECT count(*) FROM (SELECT FROM seen_names AS known WHERE ${matching} LIMIT ${most}) AS counted)`;

// Of what is full a row of kind `full` says so, by the kind and the agent's id.
const text = `
  WITH seen AS MATERIALIZED (
    SELECT kind, name, agent_id,
      row_number() OVER (PARTITION BY kind, agent_id ORDER BY name COLLATE "C") AS place
    FROM unnest($1::text[], $2::text[], $3::uuid[]) AS asked (kind, name, agent_id)
    WHERE NOT EXISTS (SELECT FROM seen_names AS known WHERE known.kind = asked.kind AND known.name = asked.name)
  ), shares AS MATERIALIZED (
    SELECT kind, agent_id,
      ${countUpTo(maxSeen.ofAgent, 'known.kind = each.kind AND known.agent_id = each.agent_id')} AS room
    FROM (SELECT DISTINCT kind, agent_id FROM seen) AS each
  ), taken AS MATERIALIZED (
    SELECT kind, name, agent_id, row_number() OVER (PARTITION BY kind ORDER BY name COLLATE "C") AS place
    FROM seen JOIN shares USING (kind, agent_id) WHERE place <= shares.room
  ), kinds AS MATERIALIZED (
    SELECT kind, ${countUpTo(maxSeen.inAll, 'known.kind = each.kind')} AS room FROM (SELECT DISTINCT kind FROM taken) AS each
  ), kept (kind, name, agent_id) AS (
    SELECT kind, name, agent_id FROM taken JOIN kinds USING (kind) WHERE place <= kinds.room
    UNION ALL
    SELECT DISTINCT 'full', kind, NULL::uuid FROM taken JOIN kinds USING (kind) WHERE place > kinds.room
    UNION ALL
    SELECT DISTINCT 'full', kind || ' ' || agent_id, agent_id FROM seen JOIN shares USING (kind, agent_id) WHERE place > shares.room
  )
  INSERT INTO seen_names (kind, name, agent_id)
  SELECT kind, name, agent_id FROM kept ORDER BY kind, name COLLATE "C" ON CONFLICT (kind, name) DO NOTHING`;

/** Names in events that an alert may tell when they are first seen: `kind`, a line break, and the name. */
function* listNames({ agentId, event: { model, provider, tools } }: RecordableEvent): Generator<string> {
  yield `agent\n${agentId}`;
  yield `model\n${model}`;
  yield `provider\n${provider}`;
  for (const { kind, names } of tools?.declared ?? tools?.called ?? [])
    yield `${kind === 'remote_mcp' ? kind : 'tool'}\n${names[0]}`;
}

/** Keeps names that were never seen, and who used them first. Returns, for its argument `known`, those that it looked at. */
export async function addSeenNames(
  client: ClientBase,
  rows: readonly RecordableEvent[],
  known: ReadonlySet<string>,
): Promise<string[]> {
  const seen = new Map<string, string>();
  for (const row of rows)
    for (const name of listNames(row))
      if (seen.size < mostNew && !known.has(name) && !seen.has(name)) seen.set(name, row.agentId);
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

/** Remembers names that were looked at, in a transaction that is committed. */
export function addKnown(known: Set<string>, names: readonly string[]): void {
  if (known.size + names.length > maxKnown) known.clear();
  for (const name of names) known.add(name);
}
