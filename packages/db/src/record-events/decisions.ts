import type { ClientBase } from 'pg';
import { toPlainArray, toTextArray } from './array-literals.ts';
import type { RecordableEvent } from './recordable-event.ts';
import { hourOf } from './totals.ts';

/** Adds rows of a query `decided` with hour, policy, rule, action and count, to one of 32 rows, so that nobody waits for one row's lock. */
export const addDecidedSql = `
  INSERT INTO hourly_decisions (hour, policy, rule, action, shard, event_count)
  SELECT hour, policy, rule, action, floor(random() * 32), sum(count) FROM decided
  GROUP BY hour, policy, rule, action ORDER BY hour, policy, rule, action
  ON CONFLICT (hour, policy, rule, action, shard) DO UPDATE SET event_count = hourly_decisions.event_count + EXCLUDED.event_count`;

const text = `
  WITH decided AS (
    SELECT *, 1 AS count FROM unnest($1::timestamptz[], $2::text[], $3::text[], $4::text[]) AS each (hour, policy, rule, action)
  ) ${addDecidedSql}`;

/** Each request once for a policy, and once for a rule and action of it. */
export async function addToHourlyDecisions(client: ClientBase, rows: readonly RecordableEvent[]): Promise<void> {
  const decided = rows.flatMap(({ event: { timestamp, counts_as_request: counts, decision } }) => {
    const all = ((counts && decision) || []).flatMap(({ policy, rule, action }) => [
      [hourOf(timestamp), policy, rule, action],
      [hourOf(timestamp), policy, '', 'note'],
    ]);
    return [...new Map(all.map((each) => [each.join(' '), each])).values()];
  });
  if (decided.length === 0) return;
  const [hours = [], ...texts] = [0, 1, 2, 3].map((at) => decided.map((each) => each[at] as string));
  const values = [toPlainArray(hours), ...texts.map(toTextArray)];
  await client.query({ name: 'add-to-hourly-decisions', text, values });
}
