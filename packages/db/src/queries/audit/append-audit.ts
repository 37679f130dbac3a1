import { randomUUIDv7 } from 'node:crypto';
import { type AuditEntry, type LinkedAuditEntry, linkAudit } from '@agp/core/audit';
import { toPublicId, uuidOf, uuidTime } from '@agp/core/ids';
import { sql } from 'kysely';
import type { Db } from '../../database.ts';

/** An entry that gets its id with its place in the chain. */
export type NewAuditEntry = Omit<AuditEntry, 'id' | 'timestamp'> & {
  /** When it happened; now, if absent. */
  timestamp?: string;
};

/**
 * Appends entries to the audit log's chain. The head stays locked until the transaction ends, so this must be its last statement:
 * whoever holds the head waits for no other lock, which rules out deadlocks.
 *
 * @param transaction the one that makes the change: change and entries are stored together, or neither
 */
export async function appendAudit(transaction: Db, entries: readonly NewAuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const head = await transaction
    .selectFrom('audit_head')
    .select(['length', 'hash'])
    .forUpdate()
    .executeTakeFirstOrThrow();
  const named = entries.map((entry): AuditEntry => {
    const id = randomUUIDv7();
    return {
      ...entry,
      id: toPublicId('aud', id),
      timestamp: entry.timestamp ?? new Date(uuidTime(id)).toISOString(),
    };
  });
  const linked = linkAudit(head, named);
  const last = linked.at(-1) as LinkedAuditEntry;
  await sql`
    WITH advanced AS (UPDATE audit_head SET length = ${last.seq + 1}, hash = ${last.lineageHash})
    INSERT INTO audit_log (seq, id, "timestamp", action, agent_id, payload, lineage_hash)
    SELECT * FROM unnest(
      ${linked.map(({ seq }) => seq)}::bigint[],
      ${linked.map(({ entry }) => uuidOf('aud', entry.id))}::uuid[],
      ${linked.map(({ entry }) => entry.timestamp)}::timestamptz[],
      ${linked.map(({ entry }) => entry.action)}::text[],
      ${linked.map(({ entry }) => entry.agent_id && uuidOf('agt', entry.agent_id))}::uuid[],
      ${linked.map(({ payload }) => payload)}::text[],
      ${linked.map(({ lineageHash }) => lineageHash)}::text[]
    )`.execute(transaction);
}
