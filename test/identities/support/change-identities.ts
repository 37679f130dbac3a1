import { randomUUID } from 'node:crypto';
import type { Database } from '@agp/db';
import { identitySchema } from '@agp/identities';

/** Makes or replaces an issuer, as the management API does. */
export async function putIdentity({ pool }: Database, document: object): Promise<void> {
  const identity = identitySchema.parse(document);
  const client = await pool.connect();
  try {
    await client.query('BEGIN; UPDATE control SET identity_version = identity_version + 1');
    await client.query(
      `INSERT INTO identities (id, name, identity) VALUES ($1, $2, $3)
       ON CONFLICT (name) DO UPDATE SET identity = excluded.identity, version = identities.version + 1`,
      [randomUUID(), identity.name, JSON.stringify(identity)],
    );
    await client.query('COMMIT');
  } finally {
    client.release();
  }
}

export async function removeIdentity({ pool }: Database, name: string): Promise<void> {
  await pool.query('UPDATE control SET identity_version = identity_version + 1');
  await pool.query('DELETE FROM identities WHERE name = $1', [name]);
}
