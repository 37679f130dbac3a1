import type { ClientBase } from 'pg';
import type { RecordableEvent } from './recordable-event.ts';
import { toPlainArray, toTextArray } from './to-array-literal.ts';
import { totalsBy } from './totals-by.ts';

const text = `
  INSERT INTO unpriced_usage (
    provider, model, request_count, prompt_tokens, completion_tokens, first_event_at, last_event_at)
  SELECT * FROM unnest(
    $1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::timestamptz[], $7::timestamptz[]
  ) AS gained (provider, model) ORDER BY provider COLLATE "C", model COLLATE "C"
  ON CONFLICT (provider, model) DO UPDATE SET
    request_count = unpriced_usage.request_count + EXCLUDED.request_count,
    prompt_tokens = unpriced_usage.prompt_tokens + EXCLUDED.prompt_tokens,
    completion_tokens = unpriced_usage.completion_tokens + EXCLUDED.completion_tokens,
    first_event_at = LEAST(unpriced_usage.first_event_at, EXCLUDED.first_event_at),
    last_event_at = GREATEST(unpriced_usage.last_event_at, EXCLUDED.last_event_at)`;

/** Whether something was used whose price nobody knows. */
function isUnpriced({ event }: RecordableEvent): boolean {
  return event.price_version === null && (event.usage_source === 'provider' || event.usage_source === 'estimated');
}

/** Adds events without a known price to the usage of their provider and model. */
export async function addToUnpricedUsage(client: ClientBase, rows: readonly RecordableEvent[]): Promise<void> {
  const unpriced = rows.filter(isUnpriced);
  if (unpriced.length === 0) return;
  // Neither name can hold a NUL.
  const groups = totalsBy(unpriced, ({ event }) => `${event.provider}\0${event.model}`);
  const totals = [...groups.values()];
  await client.query({
    name: 'add-to-unpriced-usage',
    text,
    values: [
      toTextArray(totals.map(({ latest }) => latest.event.provider)),
      toTextArray(totals.map(({ latest }) => latest.event.model)),
      toPlainArray(totals.map(({ requests }) => requests)),
      toPlainArray(totals.map(({ promptTokens }) => promptTokens)),
      toPlainArray(totals.map(({ completionTokens }) => completionTokens)),
      toPlainArray(totals.map(({ firstAt }) => firstAt)),
      toPlainArray(totals.map(({ lastAt }) => lastAt)),
    ],
  });
}
