import { bootstrapKeyName } from '@agp/core/contracts';
import { sql } from 'kysely';
import type { Db } from '../database.ts';

/**
 * Makes the configured key the one named `bootstrap`, with every scope; a new secret replaces the old one, and gets the
 * new id, so that streams which were opened with the old secret end. Several processes may do this at once.
 *
 * @returns false, with nothing changed, where another key already has this secret
 */
export function keepBootstrapKey(db: Db, id: string, secretSha256: Buffer): Promise<boolean> {
  const isTaken = sql`EXISTS (
    SELECT FROM api_keys AS other
    WHERE ${secretSha256} IN (other.secret_sha256, other.previous_sha256) AND other.name <> ${bootstrapKeyName})`;
  return db.transaction().execute(async (trx) => {
    // Without a target: a process that inserts the same row at the same time meets whichever unique index comes first.
    await sql`
      INSERT INTO api_keys (id, name, secret_sha256, scopes)
      SELECT ${id}, ${bootstrapKeyName}, ${secretSha256}, ARRAY['read', 'write', 'admin'] WHERE NOT ${isTaken}
      ON CONFLICT DO NOTHING`.execute(trx);
    const { numAffectedRows } = await sql`
      UPDATE api_keys SET
        id = CASE WHEN secret_sha256 = ${secretSha256} THEN id ELSE ${id} END,
        secret_sha256 = ${secretSha256}, scopes = ARRAY['read', 'write', 'admin'], expires_at = NULL
      WHERE name = ${bootstrapKeyName} AND NOT ${isTaken}`.execute(trx);
    return numAffectedRows === 1n;
  });
}
