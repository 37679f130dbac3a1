import { firstUuidAt } from '@agp/core/ids';
import type { Db } from '../../database.ts';

/**
 * Removes refused requests that are older than so many days from their list. Their counts stay in the audit log.
 *
 * @returns how many were removed
 */
export async function removeOldRefusals(db: Db, now: Date, days: number): Promise<number> {
  const before = firstUuidAt(now.getTime() - days * 86_400_000);
  const { numDeletedRows } = await db.deleteFrom('refused_requests').where('id', '<', before).executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
