import type { EventMessage } from '@agp/core/events';
import { emptyHead, headAfter, type LineageHead, link } from '@agp/core/lineage';
import type { Pool, PoolClient } from 'pg';
import { addToDailyUsage } from './add-to-daily-usage.ts';
import { addToGlobalSpend } from './add-to-global-spend.ts';
import { addToSessions } from './add-to-sessions.ts';
import { addToUnpricedUsage } from './add-to-unpriced-usage.ts';
import { advanceHeads } from './advance-heads.ts';
import { CountedNames } from './counted-names.ts';
import { findRecorded } from './find-recorded.ts';
import { insertEvents } from './insert-events.ts';
import { lockHeads } from './lock-heads.ts';
import { moveLastSeen } from './move-last-seen.ts';
import { readHeads } from './read-heads.ts';
import { type RecordableEvent, type RecordableLink, toRecordable } from './recordable-event.ts';
import { settleUnrecorded } from './settle-unrecorded.ts';

/** An event that Postgres holds, with the hash that it has there. */
export interface RecordedEvent {
  event: EventMessage;
  lineageHash: string;
}

export interface RecordedEvents {
  /** Recorded by this call. */
  recorded: RecordedEvent[];
  /** Recorded by an earlier one: these came again. */
  known: RecordedEvent[];
}

// A plan that is made while a table is almost empty is kept while it grows: never let it be one that reads all rows.
const begin = 'BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL enable_seqscan = off';

/**
 * Records events in one transaction: each once, whoever else records it, chained in the order given within its
 * session, with the session and usage totals. Locks are taken in one order by every caller: heads, sessions, last
 * seen, new names, usage, new names, unpriced usage, global spend, each sorted; so callers wait for each other, but never in a circle.
 *
 * When it rejects, nothing may be concluded: a commit whose answer was lost counts as failed. Calling it again with
 * the same events is safe.
 *
 * @param pool opened with `pipeline`: the statements of a transaction are sent without waiting for each answer
 * @param counted what a process that records again and again remembers
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
    // What a failed transaction leaves on the connection is not worth finding out.
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
  const [, , heads, hashes] = await Promise.all([
    client.query(begin),
    lockHeads(client, sessionIds),
    readHeads(client, sessionIds),
    findRecorded(client, ids),
  ]);
  const known: RecordedEvent[] = [];
  const linked: RecordableLink[] = [];
  const advanced = new Map<string, LineageHead>();
  for (const [sessionId, inSession] of sessions) {
    let head = heads.get(sessionId) ?? emptyHead;
    for (const { event, id, agentId } of inSession) {
      const lineageHash = hashes.get(id);
      if (lineageHash !== undefined) {
        known.push({ event, lineageHash });
        continue;
      }
      const place = link(head, event);
      linked.push({ ...place, id, agentId });
      head = headAfter(place);
      advanced.set(sessionId, head);
    }
  }
  if (linked.length === 0) {
    await client.query('ROLLBACK');
    return { recorded: [], known };
  }
  const [, , , , daily, unpriced] = await Promise.all([
    insertEvents(client, linked),
    advanceHeads(client, advanced),
    addToSessions(client, linked),
    moveLastSeen(client, linked),
    addToDailyUsage(client, linked, counted),
    addToUnpricedUsage(client, linked, counted),
    settleUnrecorded(
      client,
      linked.map(({ id }) => id),
    ),
    addToGlobalSpend(client, linked),
    client.query('COMMIT'),
  ]);
  counted.add([...daily, ...unpriced]);
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
