import type { ClientBase } from 'pg';
import { lockForNewNames, maxUnpricedModels, otherModels } from './bounded-names.ts';
import type { CountedNames } from './counted-names.ts';
import type { RecordableEvent } from './recordable-event.ts';
import { toPlainArray, toTextArray } from './to-array-literal.ts';
import { totalsBy } from './totals-by.ts';

const columns = 'provider, model, request_count, prompt_tokens, completion_tokens, first_event_at, last_event_at';
const gained = `
    SELECT * FROM unnest(
      $1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::timestamptz[], $7::timestamptz[]
    ) AS gained (${columns})`;
const add = `
  ON CONFLICT (provider, model) DO UPDATE SET
    request_count = unpriced_usage.request_count + EXCLUDED.request_count,
    prompt_tokens = unpriced_usage.prompt_tokens + EXCLUDED.prompt_tokens,
    completion_tokens = unpriced_usage.completion_tokens + EXCLUDED.completion_tokens,
    first_event_at = LEAST(unpriced_usage.first_event_at, EXCLUDED.first_event_at),
    last_event_at = GREATEST(unpriced_usage.last_event_at, EXCLUDED.last_event_at)`;

/** For models that have rows. */
const text = `
  INSERT INTO unpriced_usage (${columns}) ${gained} ORDER BY provider COLLATE "C", model COLLATE "C" ${add}`;

const known = 'SELECT FROM unpriced_usage AS known WHERE known.provider = gained.provider';
const room = `${maxUnpricedModels} - (SELECT count(*) FROM (${known} LIMIT ${maxUnpricedModels}) AS counted)`;

const lockText = lockForNewNames(`
  SELECT 'unpriced ' || provider FROM unnest($1::text[], $2::text[]) AS gained (provider, model)
  WHERE NOT EXISTS (${known} AND known.model = gained.model) AND ${room} > 0`);

/** For any: it costs several times as much. */
const boundedText = `
  WITH gained AS MATERIALIZED (
    SELECT *, EXISTS (${known} AND known.model = gained.model) AS is_known FROM (${gained}) AS gained
  ), room AS MATERIALIZED (
    SELECT provider, ${room} AS names FROM (SELECT DISTINCT provider FROM gained WHERE NOT is_known) AS gained
  ), named AS (
    SELECT *, CASE
        WHEN is_known OR row_number() OVER (PARTITION BY provider, is_known ORDER BY model) <= names THEN model
        ELSE '${otherModels}'
      END AS name
    FROM gained LEFT JOIN room USING (provider)
  )
  INSERT INTO unpriced_usage (${columns})
  SELECT provider, name, sum(request_count), sum(prompt_tokens), sum(completion_tokens), min(first_event_at),
    max(last_event_at)
  FROM named GROUP BY provider, name ORDER BY provider COLLATE "C", name COLLATE "C" ${add}
  RETURNING provider, model`;

/** Whether something was used whose price nobody knows. */
function isUnpriced({ event }: RecordableEvent): boolean {
  return event.price_version === null && (event.usage_source === 'provider' || event.usage_source === 'estimated');
}

// Neither name can hold a NUL.
const toName = (provider: string, model: string) => `${provider}\0${model}`;

/**
 * Adds events without a known price to the usage of their provider and model. Models beyond the first 1,000 of a provider are counted
 * together, under `other`.
 *
 * @returns names that have a row once the transaction is committed, for `counted`
 */
export async function addToUnpricedUsage(
  client: ClientBase,
  rows: readonly RecordableEvent[],
  counted: CountedNames,
): Promise<string[]> {
  const unpriced = rows.filter(isUnpriced);
  if (unpriced.length === 0) return [];
  const groups = totalsBy(unpriced, ({ event }) => toName(event.provider, event.model));
  const totals = [...groups.values()];
  const keys = [
    toTextArray(totals.map(({ latest }) => latest.event.provider)),
    toTextArray(totals.map(({ latest }) => latest.event.model)),
  ];
  const values = [
    ...keys,
    toPlainArray(totals.map(({ requests }) => requests)),
    toPlainArray(totals.map(({ promptTokens }) => promptTokens)),
    toPlainArray(totals.map(({ completionTokens }) => completionTokens)),
    toPlainArray(totals.map(({ firstAt }) => firstAt)),
    toPlainArray(totals.map(({ lastAt }) => lastAt)),
  ];
  if (counted.hasAll([...groups.keys()])) {
    await client.query({ name: 'add-to-unpriced-usage', text, values });
    return [];
  }
  const [, added] = await Promise.all([
    client.query({ name: 'lock-new-unpriced-models', text: lockText, values: keys }),
    client.query<{ provider: string; model: string }>({
      name: 'add-new-to-unpriced-usage',
      text: boundedText,
      values,
    }),
  ]);
  return added.rows.map(({ provider, model }) => toName(provider, model));
}
