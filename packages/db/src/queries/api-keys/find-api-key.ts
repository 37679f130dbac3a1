import { sql } from 'kysely';
import type { Db } from '../../database.ts';

export interface FoundApiKey {
  /** UUID */
  id: string;
  name: string;
  scopes: string[];
  /** The stored digest that matched: of the key's secret, or of its previous one. */
  sha256: Buffer;
}

const now = sql<Date>`clock_timestamp()`;

/** Keys with a secret that has one of these digests and works at this moment. */
function selectKeys(db: Db, digests: Buffer[]) {
  return db
    .selectFrom('api_keys')
    .where(({ and, eb, or }) =>
      or([
        eb('secret_sha256', 'in', digests),
        and([eb('previous_sha256', 'in', digests), eb('previous_expires_at', '>', now)]),
      ]),
    )
    .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]));
}

/** The key with this digest of its secret, unless it has expired. Never cached: a deleted key is gone at once. */
export function findApiKey(db: Db, secretSha256: Buffer): Promise<FoundApiKey | undefined> {
  return selectKeys(db, [secretSha256])
    .select(['id', 'name', 'scopes'])
    .select(
      sql<Buffer>`CASE WHEN secret_sha256 = ${secretSha256} THEN secret_sha256 ELSE previous_sha256 END`.as('sha256'),
    )
    .executeTakeFirst();
}

/** Which of the secrets, by digest in hex, still work. */
export async function findWorkingSecrets(db: Db, digests: string[]): Promise<Set<string>> {
  const asked = digests.map((hex) => Buffer.from(hex, 'hex'));
  const rows = await selectKeys(db, asked).select(['secret_sha256', 'previous_sha256', previousWorks]).execute();
  return new Set(
    rows.flatMap((row) => [
      row.secret_sha256.toString('hex'),
      ...(row.previous_works && row.previous_sha256 ? [row.previous_sha256.toString('hex')] : []),
    ]),
  );
}

const previousWorks = sql<boolean>`coalesce(previous_expires_at > clock_timestamp(), false)`.as('previous_works');
