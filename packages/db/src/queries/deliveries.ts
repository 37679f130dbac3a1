import type { deliveryStates } from '@agp/notifications';
import { type Selectable, sql } from 'kysely';
import type { Db } from '../database.ts';
import type { Schema } from '../schema.ts';

export type DeliveryRow = Selectable<Schema['alert_deliveries']> & { target: string; title: string | null };

const withNames = (db: Db) =>
  db
    .selectFrom('alert_deliveries')
    .innerJoin('notification_targets', 'notification_targets.id', 'target_id')
    .leftJoin('alerts', 'alerts.id', 'alert_id')
    .selectAll('alert_deliveries')
    .select(['notification_targets.name as target', 'alerts.title']);

interface DeliveryFilter {
  state?: (typeof deliveryStates)[number] | undefined;
  target?: string | undefined;
}

/** Newest first. */
export function listDeliveries(
  db: Db,
  { state, target }: DeliveryFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<DeliveryRow[]> {
  return withNames(db)
    .$if(state === 'dead', (asked) => asked.where('dead_at', 'is not', null))
    .$if(state === 'delivered', (asked) => asked.where('delivered_at', 'is not', null))
    .$if(state === 'waiting', (asked) => asked.where('dead_at', 'is', null).where('delivered_at', 'is', null))
    .$if(target !== undefined, (asked) => asked.where('notification_targets.name', '=', target as string))
    .orderBy('seq', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
}

export const readDelivery = (db: Db, id: string): Promise<DeliveryRow | undefined> =>
  withNames(db).where('alert_deliveries.id', '=', id).executeTakeFirst();

/** False if it was not given up. */
export async function resendDelivery(db: Db, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('alert_deliveries')
    .set({ dead_at: null, attempts: 0, next_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', id)
    .where('dead_at', 'is not', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

interface DeliveryCounts {
  waiting: number;
  dead: number;
  /** Of one of those that wait. */
  error: string | null;
}

/** What waits for each target and what was given up, by its id. */
export async function countDeliveries(db: Db): Promise<ReadonlyMap<string, DeliveryCounts>> {
  const { rows } = await sql<DeliveryCounts & { target_id: string }>`
    SELECT target_id, (count(*) FILTER (WHERE dead_at IS NULL))::integer AS waiting,
      (count(*) FILTER (WHERE dead_at IS NOT NULL))::integer AS dead, max(error) FILTER (WHERE dead_at IS NULL) AS error
    FROM alert_deliveries WHERE delivered_at IS NULL GROUP BY target_id`.execute(db);
  return new Map(rows.map(({ target_id, ...counts }) => [target_id, counts]));
}
