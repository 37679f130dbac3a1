import { firstUuidAt } from '@agp/core/ids';
import type { Db } from '../../database.ts';
import { listPartitions } from '../partitions/list-partitions.ts';
import { dropPartition } from './drop-partition.ts';
import { removeStrays } from './remove-strays.ts';

/** With less, partitions would be removed that `makePartitions` makes again. */
export const leastRetentionDays = 7;

const dayMs = 86_400_000;

/**
 * Removes events that are older than the retention, in whole weeks, so that an event stays up to a week longer. Needs the role that owns
 * the tables; safe to run several times at once, and again after a crash at any point.
 *
 * @param days at least {@link leastRetentionDays}
 * @returns what was removed, one sentence each
 */
export async function removeOldEvents(db: Db, now: Date, days: number): Promise<string[]> {
  const cut = new Date(now.getTime() - days * dayMs);
  const before = firstUuidAt(cut.getTime());
  const told: string[] = [];
  for (const partition of await listPartitions(db, before)) {
    const events = await dropPartition(db, partition);
    if (events !== null) told.push(`removed ${partition.name} with ${events} events`);
  }
  const strays = await removeStrays(db, before, cut);
  if (strays.events > 0) told.push(`removed ${strays.events} events from events_default`);
  if (strays.messages > 0) told.push(`removed ${strays.messages} messages that were set aside`);
  return told;
}
