import { randomUUIDv7 } from 'node:crypto';
import type { AuditState } from '@agp/core/audit';
import { firstUuidAt, toPublicId, uuidTime } from '@agp/core/ids';
import { type Anchor, anchorLeaf, MerkleTree } from '@agp/core/lineage';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../database.ts';
import { appendAudit, bySystem, type NewAuditEntry } from '../queries/audit.ts';
import { listPartitions, type Partition } from '../queries/pages.ts';
import { limitLockWait, lockWithin, tryForLocks } from './locks.ts';
import { hasPartition, lockPartitions } from './partitions.ts';
import { mergeOldHours } from './rollups.ts';

export interface Removed {
  events: number;
  sessions: number;
  removal: string;
  anchors: number;
  /** RFC 6962 Merkle root over its anchors, by session and then by place. */
  anchors_root: string;
}

/** A week may leave millions of anchors. */
const fetchSize = 5_000;

/** An anchor for each unbroken run: partitions are in the order of ids, chains in that of recording. */
async function keepAnchors(transaction: Db, links: RawBuilder<unknown>): Promise<Removed> {
  const removal = randomUUIDv7();
  const { rows } = await sql<Pick<Removed, 'events' | 'sessions'>>`
    WITH removed AS (${links}),
    placed AS (
      SELECT session_id, seq, lineage_hash,
        lag(seq) OVER chain IS DISTINCT FROM seq - 1 AS is_first, lead(seq) OVER chain IS DISTINCT FROM seq + 1 AS is_last
      FROM removed WINDOW chain AS (PARTITION BY session_id ORDER BY seq)
    ),
    ends AS (
      SELECT session_id, seq AS last_seq, lineage_hash, is_last,
        CASE WHEN is_first THEN seq ELSE lag(seq) OVER (PARTITION BY session_id ORDER BY seq) END AS first_seq
      FROM placed WHERE is_first OR is_last
    ),
    -- Two links at one place are forged; they must not stop the removal of everything else.
    kept AS (
      INSERT INTO lineage_anchors (session_id, first_seq, last_seq, lineage_hash, removal)
      SELECT session_id, first_seq, last_seq, lineage_hash, ${removal}::uuid FROM ends WHERE is_last
      ON CONFLICT (session_id, first_seq) DO NOTHING
    )
    SELECT coalesce(sum(last_seq - first_seq + 1), 0) AS events, count(DISTINCT session_id) AS sessions
    FROM ends WHERE is_last`.execute(transaction);
  const { events, sessions } = rows[0] ?? { events: 0, sessions: 0 };
  const kept = await hashAnchors(transaction, removal);
  return { events, sessions, removal: toPublicId('rem', removal), ...kept };
}

async function hashAnchors(transaction: Db, removal: string): Promise<Pick<Removed, 'anchors' | 'anchors_root'>> {
  // Sorted by bytes, the column's collation, so that a check does not depend on our locale.
  await sql`
    DECLARE kept_anchors NO SCROLL CURSOR FOR
    SELECT session_id, first_seq, last_seq, lineage_hash FROM lineage_anchors
    WHERE removal = ${sql.lit(removal)}::uuid ORDER BY session_id, first_seq`.execute(transaction);
  const tree = new MerkleTree();
  let anchors = 0;
  for (;;) {
    const { rows } = await sql<Anchor>`FETCH ${sql.lit(fetchSize)} FROM kept_anchors`.execute(transaction);
    for (const anchor of rows) tree.add(anchorLeaf(anchor));
    anchors += rows.length;
    if (rows.length < fetchSize) break;
  }
  await sql`CLOSE kept_anchors`.execute(transaction);
  return { anchors, anchors_root: tree.root() };
}

/** If events were removed, it commits to the anchors that were kept. */
function retentionEntry(target: string, before: AuditState): NewAuditEntry {
  return { ...bySystem, action: 'events.retention', target, before, after: null };
}

export const longestRemovalMs = 4 * 60 * 60_000;

/**
 * Removes a partition in one transaction, together with the anchors that its chains continue from and the entry in the audit log. While the
 * anchors are made only its writers wait; then everybody waits for the moment of the removal. A writer that holds a lock that this needs
 * may be ended by Postgres, and tries again. Returns how many events it held, or null if somebody else has removed it.
 */
function dropPartition(db: Db, partition: Partition): Promise<number | null> {
  const refusal = `${partition.name} cannot be removed now`;
  return tryForLocks(db, refusal, () =>
    db.transaction().execute((transaction) => dropIn(transaction, partition, refusal)),
  );
}

async function dropIn(transaction: Db, { name, from, to }: Partition, refusal: string): Promise<number | null> {
  await lockPartitions(transaction);
  if (!(await hasPartition(transaction, name))) return null;
  await limitLockWait(transaction);
  await sql`SET LOCAL statement_timeout = ${sql.lit(longestRemovalMs)}`.execute(transaction);
  // If this process is killed, the server must notice and release the locks while the statement still runs.
  await sql`SET LOCAL client_connection_check_interval = '10s'`.execute(transaction);
  const table = sql.table(name);
  await sql`LOCK TABLE ONLY ${table} IN SHARE MODE`.execute(transaction);
  const removed = await keepAnchors(transaction, sql`SELECT session_id, seq, lineage_hash FROM ONLY ${table}`);
  await lockWithin(transaction, refusal, 'events');
  await sql`DROP TABLE ${table}`.execute(transaction);
  await appendAudit(transaction, [
    retentionEntry(name, {
      from: new Date(uuidTime(from)).toISOString(),
      to: new Date(uuidTime(to)).toISOString(),
      ...removed,
    }),
  ]);
  return removed.events;
}

/** Removes old rows outside the weekly partitions, with ids below `before`; usage by hour becomes usage by day. */
function removeStrays(db: Db, before: string, cut: Date): Promise<{ events: number; messages: number }> {
  return db.transaction().execute(async (transaction) => {
    const until = cut.toISOString();
    const removed: Removed = await keepAnchors(
      transaction,
      sql`DELETE FROM events_default WHERE id < ${before}::uuid RETURNING session_id, seq, lineage_hash`,
    );
    const quarantined = await transaction
      .deleteFrom('quarantine')
      .where('received_at', '<', cut)
      .executeTakeFirstOrThrow();
    await transaction.deleteFrom('doubtful_usage').where('event_id', '<', before).execute();
    await sql`DELETE FROM claimed_bills WHERE bill LIKE '% %' AND claimed_at < ${cut}`.execute(transaction);
    await transaction.deleteFrom('unrecorded_spend').where('day', '<', until.slice(0, 10)).execute();
    await removeBudgetSpend(transaction, cut);
    await mergeOldHours(transaction, cut);
    const messages = Number(quarantined.numDeletedRows);
    await appendAudit(transaction, [
      ...(removed.events > 0 ? [retentionEntry('events_default', { from: null, to: until, ...removed })] : []),
      ...(messages > 0 ? [retentionEntry('quarantine', { from: null, to: until, messages })] : []),
    ]);
    return { events: removed.events, messages };
  });
}

/** The longest window that moves on, in days. */
const longestWindow = 31;

/** Usage that no budget counts any more: of other definitions, of windows long past, and of sessions whose events are gone. */
async function removeBudgetSpend(db: Db, cut: Date): Promise<void> {
  const past = new Date(Math.min(cut.getTime(), Date.now() - longestWindow * dayMs));
  await sql`
    DELETE FROM budget_spend AS spend
    WHERE starts_at > to_timestamp(0) AND starts_at < ${past}
      OR NOT EXISTS (SELECT FROM budgets WHERE id = spend.budget_id AND spend.epoch IN (epoch, active_epoch))
      OR EXISTS (SELECT FROM budgets WHERE id = spend.budget_id AND budget->>'window' = 'session')
        AND EXISTS (SELECT FROM sessions WHERE id = spend.key AND ended_at < ${cut})`.execute(db);
}

/** The least: with fewer days, partitions would be removed that `makePartitions` makes again. */
export const leastRetentionDays = 7;

const dayMs = 86_400_000;

/** In whole weeks, so an event stays up to a week longer. Safe to repeat. Returns a sentence for each removal. */
export async function removeOldEvents(db: Db, now: Date, days: number): Promise<string[]> {
  const cut = new Date(now.getTime() - days * dayMs);
  const before = firstUuidAt(cut.getTime());
  const told: string[] = [];
  for (const partition of await listPartitions(db, before)) {
    const events = await dropPartition(db, partition);
    if (events !== null) told.push(`removed ${partition.name} with ${events} events`);
  }
  const strays = await removeStrays(db, before, cut);
  if (strays.events > 0) told.push(`removed ${strays.events} events from events_default`);
  if (strays.messages > 0) told.push(`removed ${strays.messages} messages that were set aside`);
  return told;
}

/** Removes refused requests from their list; their counts stay in the audit log. Returns how many were removed. */
export async function removeOldRefusals(db: Db, now: Date, days: number): Promise<number> {
  const before = firstUuidAt(now.getTime() - days * 86_400_000);
  const { numDeletedRows } = await db.deleteFrom('refused_requests').where('id', '<', before).executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
