import type { ClientBase } from 'pg';
import type { RecordableEvent } from '../recordable-event.ts';
import { toPlainArray } from '../to-array-literal.ts';
import { totalsBy } from './totals-by.ts';

/** Rows that a day's spend is spread over: usually more than batches that are recorded at once. */
const shards = 32;

const text = `
  INSERT INTO daily_global_spend (day, shard, cost_usd)
  SELECT day, $3, cost_usd FROM unnest($1::date[], $2::numeric[]) AS gained (day, cost_usd) ORDER BY day
  ON CONFLICT (day, shard) DO UPDATE SET cost_usd = daily_global_spend.cost_usd + EXCLUDED.cost_usd`;

/** Adds events to what all agents spent on their UTC days. The last lock of the transaction, and a short one. */
export async function addToGlobalSpend(client: ClientBase, rows: readonly RecordableEvent[]): Promise<void> {
  const totals = [...totalsBy(rows, ({ event }) => event.timestamp.slice(0, 10)).entries()];
  const shard = Math.floor(Math.random() * shards);
  await client.query({
    name: 'add-to-global-spend',
    text,
    values: [toPlainArray(totals.map(([day]) => day)), toPlainArray(totals.map(([, { costUsd }]) => costUsd)), shard],
  });
}
