import { bootstrapKeyName, type Team } from '@agp/core/contracts';
import { toPublicId } from '@agp/core/ids';
import { type Selectable, sql } from 'kysely';
import type { Db } from '../database.ts';
import type { Schema } from '../schema.ts';
import { inTransaction } from '../statements.ts';
import { appendAudit, bySystem, type NewAuditEntry } from './audit.ts';

const apiKeyColumns = [
  'id',
  'name',
  'scopes',
  'match',
  'created_at',
  'expires_at',
  'rotated_at',
  'last_used_at',
  'previous_expires_at',
] as const;

/** `previous_expires_at` is until when the secret before the present one works. */
export type ApiKeyRow = Pick<Selectable<Schema['api_keys']>, (typeof apiKeyColumns)[number]>;

interface NewApiKey {
  id: string;
  name: string;
  secretSha256: Buffer;
  scopes: string[];
  expiresAt: Date | null;
  match: Team | null;
}

export function createApiKey(db: Db, key: NewApiKey): Promise<ApiKeyRow> {
  return db
    .insertInto('api_keys')
    .values({
      id: key.id,
      name: key.name,
      secret_sha256: key.secretSha256,
      scopes: key.scopes,
      expires_at: key.expiresAt,
      match: key.match && JSON.stringify(key.match),
    })
    .returning(apiKeyColumns)
    .executeTakeFirstOrThrow();
}

/** Not the configured key: the next start of any replica would bring it back. */
export async function deleteApiKey(db: Db, id: string): Promise<ApiKeyRow | 'unknown' | 'bootstrap'> {
  const deleted = await db
    .deleteFrom('api_keys')
    .where('id', '=', id)
    .where('name', '<>', bootstrapKeyName)
    .returning(apiKeyColumns)
    .executeTakeFirst();
  if (deleted !== undefined) return deleted;
  const kept = await db.selectFrom('api_keys').select('id').where('id', '=', id).executeTakeFirst();
  return kept === undefined ? 'unknown' : 'bootstrap';
}

export interface FoundApiKey {
  id: string;
  name: string;
  scopes: string[];
  match: Team | null;
  /** The stored digest that matched: of the key's secret, or of its previous one. */
  sha256: Buffer;
}

const any = (digests: readonly Buffer[]) => sql<Buffer>`ANY (${digests}::bytea[])`;
const now = sql<Date>`clock_timestamp()`;

function selectKeys(db: Db, digests: readonly Buffer[]) {
  return db
    .selectFrom('api_keys')
    .where(({ and, eb, or }) =>
      or([
        eb('secret_sha256', '=', any(digests)),
        and([eb('previous_sha256', '=', any(digests)), eb('previous_expires_at', '>', now)]),
      ]),
    )
    .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]));
}

/** Finds keys by digests in hex, unless they have expired. Never cached: a deleted key is gone at once. */
export async function findApiKeys(db: Db, digests: readonly string[]): Promise<Map<string, FoundApiKey>> {
  const asked = digests.map((hex) => Buffer.from(hex, 'hex'));
  const rows = await selectKeys(db, asked)
    .select(['id', 'name', 'scopes', 'match', 'secret_sha256', 'previous_sha256', previousWorks])
    .execute();
  return new Map(
    rows.flatMap(({ secret_sha256, previous_sha256, previous_works, ...key }) =>
      [secret_sha256, ...(previous_works && previous_sha256 ? [previous_sha256] : [])].map(
        (sha256) => [sha256.toString('hex'), { ...key, sha256 }] as const,
      ),
    ),
  );
}

/** Which of the secrets, by digest in hex, still work. */
export async function findWorkingSecrets(db: Db, digests: string[]): Promise<Set<string>> {
  return new Set((await findApiKeys(db, digests)).keys());
}

const previousWorks = sql<boolean>`coalesce(previous_expires_at > clock_timestamp(), false)`.as('previous_works');

/**
 * Stores the configured key as `bootstrap`, with every scope. A new secret replaces the old one and gets the new id, so that streams opened
 * with the old secret end. Several processes may do this at once. Returns false if another key already has this secret.
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
    ...bySystem,
    action: 'key.bootstrap',
    target: toPublicId('key', newId),
    before: oldId === null ? null : show(oldId),
    after: show(newId),
  };
}

export function listApiKeys(db: Db): Promise<ApiKeyRow[]> {
  return db.selectFrom('api_keys').select(apiKeyColumns).orderBy('created_at').orderBy('id').execute();
}

export interface KeyRotation {
  id: string;
  secretSha256: Buffer;
  overlapSeconds: number;
}

/** The previous secret keeps working for `overlapSeconds`; an even older one stops at once. */
export function rotateApiKey(
  db: Db,
  { id, secretSha256, overlapSeconds }: KeyRotation,
): Promise<{ before: ApiKeyRow; after: ApiKeyRow } | 'unknown' | 'bootstrap' | 'expired'> {
  return inTransaction(db, async (transaction) => {
    const before = await transaction
      .selectFrom('api_keys')
      .select(apiKeyColumns)
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (before === undefined) return 'unknown';
    if (before.name === bootstrapKeyName) return 'bootstrap';
    const hasOverlap = overlapSeconds > 0;
    const after = await transaction
      .updateTable('api_keys')
      .set({
        secret_sha256: secretSha256,
        rotated_at: sql<Date>`clock_timestamp()`,
        previous_sha256: hasOverlap ? sql<Buffer>`secret_sha256` : null,
        previous_expires_at: hasOverlap
          ? sql<Date>`clock_timestamp() + make_interval(secs => ${overlapSeconds})`
          : null,
      })
      .where('id', '=', id)
      .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', sql<Date>`clock_timestamp()`)]))
      .returning(apiKeyColumns)
      .executeTakeFirst();
    return after === undefined ? 'expired' : { before, after };
  });
}

export async function touchApiKey(db: Db, id: string, usedAt: Date): Promise<void> {
  const minuteBefore = new Date(usedAt.getTime() - 60_000);
  await db
    .updateTable('api_keys')
    .set({ last_used_at: usedAt })
    .where('id', '=', id)
    .where(({ eb, or }) => or([eb('last_used_at', 'is', null), eb('last_used_at', '<=', minuteBefore)]))
    .execute();
}
