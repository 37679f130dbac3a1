import { bootstrapKeyName } from '@agp/core/contracts';
import { sql } from 'kysely';
import type { Db } from '../database.ts';

/** Makes the configured key the one named `bootstrap`, with every scope; a new secret replaces the old one. */
export async function keepBootstrapKey(db: Db, id: string, secretSha256: Buffer): Promise<void> {
  await sql`
    INSERT INTO api_keys (id, name, secret_sha256, scopes)
    VALUES (${id}, ${bootstrapKeyName}, ${secretSha256}, ARRAY['read', 'write', 'admin'])
    ON CONFLICT (name) WHERE name = 'bootstrap'
    DO UPDATE SET secret_sha256 = excluded.secret_sha256, scopes = excluded.scopes, expires_at = NULL`.execute(db);
}
