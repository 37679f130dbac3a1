import type { ClientBase } from 'pg';
import { toPlainArray, toTextArray } from './array-literals.ts';
import type { RecordableEvent } from './recordable-event.ts';
import { hourOf } from './totals.ts';

/** A rule that decided something of a call. */
export interface DecidedRule {
  policy: string;
  rule: string;
}

/** Rows that an hour's decisions are spread over. */
const shards = 32;

export const pickShard = (): number => Math.floor(Math.random() * shards);

/** Adds rows of a query `decided` with hour, policy, rule, action and count. */
export const addDecidedSql = (shard: string): string => `
  INSERT INTO hourly_decisions (hour, policy, rule, action, shard, event_count)
  SELECT hour, policy, rule, action, ${shard}::smallint, sum(count) FROM decided
  GROUP BY hour, policy, rule, action ORDER BY hour, policy, rule, action
  ON CONFLICT (hour, policy, rule, action, shard) DO UPDATE SET event_count = hourly_decisions.event_count + EXCLUDED.event_count`;

const text = `
  WITH decided AS (
    SELECT *, 1 AS count FROM unnest($1::timestamptz[], $2::text[], $3::text[], $4::text[]) AS each (hour, policy, rule, action)
  ) ${addDecidedSql('$5')}`;

/** Each request once for a policy, and once for a rule and action of it. */
export async function addToHourlyDecisions(client: ClientBase, rows: readonly RecordableEvent[]): Promise<void> {
  const decided = rows.flatMap(({ event }) => {
    if (!event.counts_as_request || !event.decision) return [];
    const all = event.decision.flatMap(({ policy, rule, action }) => [
      [policy, rule, action],
      [policy, '', 'note'],
    ]);
    const once = new Map(all.map((each) => [each.join(' '), each]));
    return [...once.values()].map((each) => [hourOf(event.timestamp), ...each] as const);
  });
  if (decided.length === 0) return;
  const column = (at: number) => decided.map((each) => each[at] as string);
  const columns = [toPlainArray(column(0)), ...[1, 2, 3].map((at) => toTextArray(column(at)))];
  await client.query({ name: 'add-to-hourly-decisions', text, values: [...columns, pickShard()] });
}
