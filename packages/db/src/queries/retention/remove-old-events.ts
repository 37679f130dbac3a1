import { firstUuidAt } from '@agp/core/ids';
import type { Db } from '../../database.ts';
import { dropPartition } from './drop-partition.ts';
import { listOldPartitions } from './list-old-partitions.ts';
import { removeStrays } from './remove-strays.ts';

/** Below it, partitions would go that are made again with the next ones. */
export const leastRetentionDays = 7;

const dayMs = 86_400_000;

/**
 * Removes the events that are older than the retention: whole weeks, so that an event stays up to a week longer. Run by the
 * role that owns the tables; safe to run from several places at once, and again after a crash at any point.
 *
 * @param days at least {@link leastRetentionDays}
 * @returns what was removed, in words for whoever ran it
 */
export async function removeOldEvents(db: Db, now: Date, days: number): Promise<string[]> {
  const cut = new Date(now.getTime() - days * dayMs);
  const before = firstUuidAt(cut.getTime());
  const told: string[] = [];
  for (const partition of await listOldPartitions(db, before)) {
    const events = await dropPartition(db, partition);
    if (events !== null) told.push(`removed ${partition.name} with ${events} events`);
  }
  const strays = await removeStrays(db, before, cut);
  if (strays.events > 0) told.push(`removed ${strays.events} events from events_default`);
  if (strays.messages > 0) told.push(`removed ${strays.messages} messages that were set aside`);
  return told;
}
