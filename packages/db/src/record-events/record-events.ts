import type { EventMessage } from '@agp/core/events';
import { emptyHead, headAfter, type LineageHead, link } from '@agp/core/lineage';
import type { ClientBase, Pool, PoolClient } from 'pg';
import { toPlainArray, toTextArray } from './array-literals.ts';
import { addToBudgets, listBudgetSpend, readBudgetVersion, shareBudgets } from './budget-spend.ts';
import { CountedNames } from './counted-names.ts';
import { addToHourlyDecisions } from './decisions.ts';
import { insertEvents } from './insert-events.ts';
import { type RecordableEvent, type RecordableLink, toRecordable } from './recordable-event.ts';
import { addKnown, addSeenNames } from './seen-names.ts';
import {
  addToAgentUsage,
  addToDailyUsage,
  addToGlobalSpend,
  addToHourlyFindings,
  addToHourlyUsage,
  addToSessions,
  addToUnpricedUsage,
} from './totals.ts';

const lockText = `
  INSERT INTO lineage_heads (session_id, length, hash)
  SELECT session_id, 0, $2 FROM unnest($1::text[]) AS asked (session_id) ORDER BY session_id COLLATE "C"
  ON CONFLICT (session_id) DO UPDATE SET length = lineage_heads.length WHERE false`;

/**
 * Locks the heads of the sessions until the transaction ends, in one order for every writer; a session without a head gets an empty one.
 * One statement does both, or two writers could wait for each other. A row on which DO UPDATE has nothing to do is locked all the same
 * (PostgreSQL manual, INSERT), and not rewritten.
 */
async function lockHeads(client: ClientBase, sessionIds: readonly string[]): Promise<void> {
  await client.query({ name: 'lock-heads', text: lockText, values: [toPlainArray(sessionIds), emptyHead.hash] });
}

/** Run it after they are locked, as a statement of its own: its snapshot then holds all that was committed before. */
async function readHeads(client: ClientBase, sessionIds: readonly string[]): Promise<Map<string, LineageHead>> {
  const { rows } = await client.query<LineageHead & { session_id: string }>({
    name: 'read-heads',
    text: 'SELECT session_id, length, hash FROM lineage_heads WHERE session_id = ANY ($1::text[])',
    values: [toPlainArray(sessionIds)],
  });
  return new Map(rows.map((row) => [row.session_id, row]));
}

// Unlike UPDATE ... FROM, an upsert of rows that exist goes through the primary key whatever the statistics say.
const advanceText = `
  INSERT INTO lineage_heads (session_id, length, hash)
  SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[])
  ON CONFLICT (session_id) DO UPDATE SET length = EXCLUDED.length, hash = EXCLUDED.hash`;

/** Moves heads that this transaction has locked. */
async function advanceHeads(client: ClientBase, heads: ReadonlyMap<string, LineageHead>): Promise<void> {
  const values = [...heads.values()];
  const columns = [[...heads.keys()], values.map(({ length }) => length), values.map(({ hash }) => hash)];
  await client.query({ name: 'advance-heads', text: advanceText, values: columns.map(toPlainArray) });
}

// One look-up for each id, in its one partition. OFFSET 0 enforces that plan.
const recordedText = `
  SELECT found.id, found.lineage_hash FROM unnest($1::uuid[]) AS asked (id)
  CROSS JOIN LATERAL (SELECT id, lineage_hash FROM events WHERE events.id = asked.id OFFSET 0) AS found`;

/** A statement of its own after the heads are locked: its snapshot holds all that was committed before. */
async function findRecorded(client: ClientBase, ids: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await client.query<{ id: string; lineage_hash: string }>({
    name: 'find-recorded',
    text: recordedText,
    values: [toPlainArray(ids)],
  });
  return new Map(rows.map((row) => [row.id, row.lineage_hash]));
}

/** In every transaction that adds events: `noteEndedRequests` waits for the lock that this takes even without rows. */
async function settleUnrecorded(client: ClientBase, eventIds: readonly string[]): Promise<void> {
  await client.query({
    name: 'settle-unrecorded',
    text: 'DELETE FROM unrecorded_spend WHERE event_id = ANY($1::uuid[])',
    values: [toPlainArray(eventIds)],
  });
}

const text = `
  INSERT INTO agent_last_seen (agent_id, last_event_id, source_ip)
  SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[]) AS seen (agent_id) ORDER BY agent_id
  ON CONFLICT (agent_id) DO UPDATE SET last_event_id = EXCLUDED.last_event_id, source_ip = EXCLUDED.source_ip
  WHERE agent_last_seen.last_event_id < EXCLUDED.last_event_id`;

async function moveLastSeen(client: ClientBase, rows: readonly RecordableEvent[]): Promise<void> {
  const latest = new Map<string, RecordableEvent>();
  for (const row of rows) {
    if (row.event.source_ip === null) continue;
    const seen = latest.get(row.agentId);
    if (seen === undefined || row.id > seen.id) latest.set(row.agentId, row);
  }
  if (latest.size === 0) return;
  const seen = [...latest.values()];
  await client.query({
    name: 'move-last-seen',
    text,
    values: [
      toPlainArray([...latest.keys()]),
      toPlainArray(seen.map(({ id }) => id)),
      toTextArray(seen.map(({ event }) => event.source_ip ?? '')),
    ],
  });
}

export interface RecordedEvent {
  event: EventMessage;
  lineageHash: string;
}

export interface RecordedEvents {
  recorded: RecordedEvent[];
  /** Recorded by an earlier call: these came again. */
  known: RecordedEvent[];
}

// Planning every statement anew takes as long as recording twenty events. A plan that is made for an almost empty table is kept while it
// grows, so it must never be a sequential scan.
const begin =
  'BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL plan_cache_mode = force_generic_plan; SET LOCAL enable_seqscan = off';

/**
 * Records events in one transaction: each exactly once, even if others record it too, chained within its session in the given order,
 * with the session and usage totals. Every caller takes locks in the same order, each kind sorted: budgets as a whole, heads, sessions, last seen; new
 * names and then usage for each of day, hour, agent and unpriced; names to tell, findings, decisions, spend of budgets and of all. So callers wait for each other but never
 * deadlock.
 *
 * A rejection does not mean that nothing was recorded: the answer to a commit may have been lost. Calling it again with the same events
 * is safe.
 *
 * @param pool opened with `pipeline`: the statements of a transaction are sent without waiting for each answer
 * @param counted kept by a process that records again and again
 */
export async function recordEvents(
  pool: Pool,
  events: readonly EventMessage[],
  counted = new CountedNames(),
): Promise<RecordedEvents> {
  const rows = dropRepeats(events);
  const client = await pool.connect();
  let failed = true;
  try {
    const result = await recordWith(client, rows, counted);
    failed = false;
    return result;
  } finally {
    // The state of the connection after a failure is unknown: drop it.
    client.release(failed);
  }
}

async function recordWith(
  client: PoolClient,
  rows: readonly RecordableEvent[],
  counted: CountedNames,
): Promise<RecordedEvents> {
  const sessions = Map.groupBy(rows, ({ event }) => event.session_id);
  const sessionIds = [...sessions.keys()];
  const ids = rows.map(({ id }) => id);
  const [, , , budgetVersion, heads, hashes] = await Promise.all([
    client.query(begin),
    shareBudgets(client),
    lockHeads(client, sessionIds),
    readBudgetVersion(client),
    readHeads(client, sessionIds),
    findRecorded(client, ids),
  ]);
  const known: RecordedEvent[] = [];
  const linked: RecordableLink[] = [];
  const advanced = new Map<string, LineageHead>();
  for (const [sessionId, inSession] of sessions) {
    let head = heads.get(sessionId) ?? emptyHead;
    for (const { event, id, agentId, labelSet } of inSession) {
      const lineageHash = hashes.get(id);
      if (lineageHash !== undefined) {
        known.push({ event, lineageHash });
        continue;
      }
      const place = link(head, event);
      linked.push({ ...place, id, agentId, labelSet });
      head = headAfter(place);
      advanced.set(sessionId, head);
    }
  }
  if (linked.length === 0) {
    await client.query('ROLLBACK');
    return { recorded: [], known };
  }
  const spend = await listBudgetSpend(client, budgetVersion, counted.budgets, linked);
  const [, , , , daily, hourly, byAgent, unpriced, seen] = await Promise.all([
    insertEvents(client, linked),
    advanceHeads(client, advanced),
    addToSessions(client, linked),
    moveLastSeen(client, linked),
    addToDailyUsage(client, linked, counted),
    addToHourlyUsage(client, linked, counted),
    addToAgentUsage(client, linked, counted),
    addToUnpricedUsage(client, linked, counted),
    addSeenNames(client, linked, counted.seen),
    addToHourlyFindings(client, linked),
    addToHourlyDecisions(client, linked),
    settleUnrecorded(
      client,
      linked.map(({ id }) => id),
    ),
    addToBudgets(client, spend),
    addToGlobalSpend(client, linked),
    client.query('COMMIT'),
  ]);
  counted.add([...daily, ...hourly, ...byAgent, ...unpriced]);
  addKnown(counted.seen, seen);
  return { recorded: linked, known };
}

function dropRepeats(events: readonly EventMessage[]): RecordableEvent[] {
  const rows = new Map<string, RecordableEvent>();
  for (const event of events) {
    const row = toRecordable(event);
    if (!rows.has(row.id)) rows.set(row.id, row);
  }
  return [...rows.values()];
}

/** Whether Postgres refused a value itself (SQLSTATE class 22), so that trying again cannot help. Everything else may pass. */
export function isBadData(error: unknown): error is Error & { code: string } {
  return error instanceof Error && 'code' in error && /^22[0-9A-Z]{3}$/.test(String(error.code));
}
