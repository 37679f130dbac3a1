import type { ClientBase } from 'pg';
import type { RecordableEvent } from './recordable-event.ts';
import { toPlainArray, toTextArray } from './to-array-literal.ts';
import { totalsBy } from './totals-by.ts';

const text = `
  INSERT INTO daily_usage (
    day, agent_id, model, prompt_tokens, completion_tokens, cost_usd, event_count, request_count, first_event_at,
    last_event_at)
  SELECT * FROM unnest(
    $1::date[], $2::uuid[], $3::text[], $4::bigint[], $5::bigint[], $6::numeric[], $7::bigint[], $8::bigint[],
    $9::timestamptz[], $10::timestamptz[]
  ) AS gained (day, agent_id, model) ORDER BY day, agent_id, model
  ON CONFLICT (day, agent_id, model) DO UPDATE SET
    prompt_tokens = daily_usage.prompt_tokens + EXCLUDED.prompt_tokens,
    completion_tokens = daily_usage.completion_tokens + EXCLUDED.completion_tokens,
    cost_usd = daily_usage.cost_usd + EXCLUDED.cost_usd,
    event_count = daily_usage.event_count + EXCLUDED.event_count,
    request_count = daily_usage.request_count + EXCLUDED.request_count,
    first_event_at = LEAST(daily_usage.first_event_at, EXCLUDED.first_event_at),
    last_event_at = GREATEST(daily_usage.last_event_at, EXCLUDED.last_event_at)`;

/** Adds events to the usage of their UTC day, agent and model. */
export async function addToDailyUsage(client: ClientBase, rows: readonly RecordableEvent[]): Promise<void> {
  const dayOf = ({ event }: RecordableEvent) => event.timestamp.slice(0, 10);
  const groups = totalsBy(rows, (row) => `${dayOf(row)} ${row.agentId} ${row.event.model}`);
  const totals = [...groups.values()];
  await client.query({
    name: 'add-to-daily-usage',
    text,
    values: [
      toPlainArray(totals.map(({ latest }) => dayOf(latest))),
      toPlainArray(totals.map(({ latest }) => latest.agentId)),
      toTextArray(totals.map(({ latest }) => latest.event.model)),
      toPlainArray(totals.map(({ promptTokens }) => promptTokens)),
      toPlainArray(totals.map(({ completionTokens }) => completionTokens)),
      toPlainArray(totals.map(({ costUsd }) => costUsd)),
      toPlainArray(totals.map(({ events }) => events)),
      toPlainArray(totals.map(({ requests }) => requests)),
      toPlainArray(totals.map(({ firstAt }) => firstAt)),
      toPlainArray(totals.map(({ lastAt }) => lastAt)),
    ],
  });
}
