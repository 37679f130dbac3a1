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

const any = (digests: readonly Buffer[]) => sql<Buffer>`ANY (${digests}::bytea[])`;
const now = sql<Date>`clock_timestamp()`;

/** Keys with a secret that has one of these digests and works at this moment. */
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

/** The keys with these digests of their secrets, in hex, unless they have expired. Never cached: a deleted key is gone at once. */
export async function findApiKeys(db: Db, digests: readonly string[]): Promise<Map<string, FoundApiKey>> {
  const asked = digests.map((hex) => Buffer.from(hex, 'hex'));
  const rows = await selectKeys(db, asked)
    .select(['id', 'name', 'scopes', 'secret_sha256', 'previous_sha256', previousWorks])
    .execute();
  return new Map(
    rows.flatMap(({ id, name, scopes, secret_sha256, previous_sha256, previous_works }) =>
      [secret_sha256, ...(previous_works && previous_sha256 ? [previous_sha256] : [])].map(
        (sha256) => [sha256.toString('hex'), { id, name, scopes, sha256 }] as const,
      ),
    ),
  );
}

/** Which of the secrets, by digest in hex, still work. */
export async function findWorkingSecrets(db: Db, digests: string[]): Promise<Set<string>> {
  return new Set((await findApiKeys(db, digests)).keys());
}

const previousWorks = sql<boolean>`coalesce(previous_expires_at > clock_timestamp(), false)`.as('previous_works');
