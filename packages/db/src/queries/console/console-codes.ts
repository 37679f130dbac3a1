import { sql } from 'kysely';
import type { Db } from '../../database.ts';

/** A code that signs the holder of a key in once. */
export interface ConsoleCode {
  codeSha256: Buffer;
  /** Digest of the key's secret. */
  keySha256: Buffer;
  expiresAt: Date;
}

/** Codes of one key that can wait to be used: beyond that the one that expires first stops working. */
const mostOfKey = 20;

const now = sql<Date>`clock_timestamp()`;

/** Stores a code, and removes those that have expired. */
export async function createConsoleCode(transaction: Db, code: ConsoleCode): Promise<void> {
  await transaction.deleteFrom('console_codes').where('expires_at', '<=', now).execute();
  await transaction
    .deleteFrom('console_codes')
    .where('code_sha256', 'in', (eb) =>
      eb
        .selectFrom('console_codes')
        .select('code_sha256')
        .where('key_sha256', '=', code.keySha256)
        .orderBy('expires_at', 'desc')
        .offset(mostOfKey - 1),
    )
    .execute();
  await transaction
    .insertInto('console_codes')
    .values({ code_sha256: code.codeSha256, key_sha256: code.keySha256, expires_at: code.expiresAt })
    .execute();
}

/** The digests of the keys' secrets of these codes, by digest of the code in hex, as far as the codes still work. */
export async function findConsoleCodes(db: Db, digests: readonly string[]): Promise<Map<string, Buffer>> {
  const rows = await db
    .selectFrom('console_codes')
    .select(['code_sha256', 'key_sha256'])
    .where('code_sha256', '=', sql<Buffer>`ANY (${digests.map((hex) => Buffer.from(hex, 'hex'))}::bytea[])`)
    .where('expires_at', '>', now)
    .execute();
  return new Map(rows.map((row) => [row.code_sha256.toString('hex'), row.key_sha256]));
}

/**
 * Uses a code up: of several that come with it at once, one gets an answer.
 *
 * @returns false for a code that is unknown, used or expired
 */
export async function takeConsoleCode(db: Db, codeSha256: Buffer): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('console_codes')
    .where('code_sha256', '=', codeSha256)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
