import { bootstrapKeyName } from '@agp/core/contracts';
import { toPublicId } from '@agp/core/ids';
import { sql } from 'kysely';
import type { Db } from '../../database.ts';
import { appendAudit, type NewAuditEntry } from '../audit/append-audit.ts';

/**
 * Stores the configured key as `bootstrap`, with every scope. A new secret replaces the old one and gets the new id, so that streams
 * opened with the old secret end; it has an entry in the audit log. Several processes may do this at once.
 *
 * @returns false, with nothing changed, where another key already has this secret
 */
export function keepBootstrapKey(db: Db, id: string, secretSha256: Buffer): Promise<boolean> {
  const isTaken = sql`EXISTS (
    SELECT FROM api_keys AS other
    WHERE ${secretSha256} IN (other.secret_sha256, other.previous_sha256) AND other.name <> ${bootstrapKeyName})`;
  return db.transaction().execute(async (trx) => {
    // No conflict target: a process that inserts the same row at the same time hits whichever unique index comes first.
    const inserted = await sql`
      INSERT INTO api_keys (id, name, secret_sha256, scopes)
      SELECT ${id}, ${bootstrapKeyName}, ${secretSha256}, ARRAY['read', 'write', 'admin'] WHERE NOT ${isTaken}
      ON CONFLICT DO NOTHING`.execute(trx);
    const before = await trx
      .selectFrom('api_keys')
      .select('id')
      .where('name', '=', bootstrapKeyName)
      .forUpdate()
      .executeTakeFirst();
    const {
      rows: [kept],
    } = await sql<{ id: string }>`
      UPDATE api_keys SET
        id = CASE WHEN secret_sha256 = ${secretSha256} THEN id ELSE ${id} END,
        secret_sha256 = ${secretSha256}, scopes = ARRAY['read', 'write', 'admin'], expires_at = NULL
      WHERE name = ${bootstrapKeyName} AND NOT ${isTaken} RETURNING id`.execute(trx);
    if (kept === undefined) return false;
    const isNew = inserted.numAffectedRows === 1n;
    if (isNew || kept.id !== before?.id)
      await appendAudit(trx, [toEntry(isNew ? null : (before?.id ?? null), kept.id)]);
    return true;
  });
}

function toEntry(oldId: string | null, newId: string): NewAuditEntry {
  const show = (id: string) => ({ id: toPublicId('key', id), name: bootstrapKeyName });
  return {
    actor: { kind: 'system' },
    source_ip: null,
    action: 'key.bootstrap',
    agent_id: null,
    target: toPublicId('key', newId),
    before: oldId === null ? null : show(oldId),
    after: show(newId),
    count: 1,
  };
}
