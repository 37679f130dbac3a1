import type { ClientBase } from 'pg';
import { lockForNewNames, maxModelsOfDay, otherModels } from './bounded-names.ts';
import type { CountedNames } from './counted-names.ts';
import type { RecordableEvent } from './recordable-event.ts';
import { toPlainArray, toTextArray } from './to-array-literal.ts';
import { totalsBy } from './totals-by.ts';

const columns = `
    day, agent_id, model, prompt_tokens, completion_tokens, cost_usd, event_count, request_count, first_event_at,
    last_event_at`;
const gained = `
    SELECT * FROM unnest(
      $1::date[], $2::uuid[], $3::text[], $4::bigint[], $5::bigint[], $6::numeric[], $7::bigint[], $8::bigint[],
      $9::timestamptz[], $10::timestamptz[]
    ) AS gained (${columns})`;
const add = `
  ON CONFLICT (day, agent_id, model) DO UPDATE SET
    prompt_tokens = daily_usage.prompt_tokens + EXCLUDED.prompt_tokens,
    completion_tokens = daily_usage.completion_tokens + EXCLUDED.completion_tokens,
    cost_usd = daily_usage.cost_usd + EXCLUDED.cost_usd,
    event_count = daily_usage.event_count + EXCLUDED.event_count,
    request_count = daily_usage.request_count + EXCLUDED.request_count,
    first_event_at = LEAST(daily_usage.first_event_at, EXCLUDED.first_event_at),
    last_event_at = GREATEST(daily_usage.last_event_at, EXCLUDED.last_event_at)`;

/** For models that have rows. */
const text = `INSERT INTO daily_usage (${columns}) ${gained} ORDER BY day, agent_id, model ${add}`;

const known = 'SELECT FROM daily_usage AS known WHERE known.day = gained.day AND known.agent_id = gained.agent_id';
const room = `${maxModelsOfDay} - (SELECT count(*) FROM (${known} LIMIT ${maxModelsOfDay}) AS counted)`;

const lockText = lockForNewNames(`
  SELECT day || ' ' || agent_id FROM unnest($1::date[], $2::uuid[], $3::text[]) AS gained (day, agent_id, model)
  WHERE NOT EXISTS (${known} AND known.model = gained.model) AND ${room} > 0`);

/** For any: it costs several times as much. */
const boundedText = `
  WITH gained AS MATERIALIZED (
    SELECT *, EXISTS (${known} AND known.model = gained.model) AS is_known FROM (${gained}) AS gained
  ), room AS MATERIALIZED (
    SELECT day, agent_id, ${room} AS names FROM (SELECT DISTINCT day, agent_id FROM gained WHERE NOT is_known) AS gained
  ), named AS (
    SELECT *, CASE
        WHEN is_known OR row_number() OVER (PARTITION BY day, agent_id, is_known ORDER BY model) <= names THEN model
        ELSE '${otherModels}'
      END AS name
    FROM gained LEFT JOIN room USING (day, agent_id)
  )
  INSERT INTO daily_usage (${columns})
  SELECT day, agent_id, name, sum(prompt_tokens), sum(completion_tokens), sum(cost_usd), sum(event_count),
    sum(request_count), min(first_event_at), max(last_event_at)
  FROM named GROUP BY day, agent_id, name ORDER BY day, agent_id, name ${add}
  RETURNING day::text, agent_id, model`;

const toName = (day: string, agentId: string, model: string) => `${day} ${agentId} ${model}`;

/**
 * Adds events to the usage of their UTC day, agent and model. Models that an agent names beyond the first 200 of a day are counted
 * together, under `other`.
 *
 * @returns names that have a row once the transaction is committed, for `counted`
 */
export async function addToDailyUsage(
  client: ClientBase,
  rows: readonly RecordableEvent[],
  counted: CountedNames,
): Promise<string[]> {
  const dayOf = ({ event }: RecordableEvent) => event.timestamp.slice(0, 10);
  const groups = totalsBy(rows, (row) => toName(dayOf(row), row.agentId, row.event.model));
  const totals = [...groups.values()];
  const keys = [
    toPlainArray(totals.map(({ latest }) => dayOf(latest))),
    toPlainArray(totals.map(({ latest }) => latest.agentId)),
    toTextArray(totals.map(({ latest }) => latest.event.model)),
  ];
  const values = [
    ...keys,
    toPlainArray(totals.map(({ promptTokens }) => promptTokens)),
    toPlainArray(totals.map(({ completionTokens }) => completionTokens)),
    toPlainArray(totals.map(({ costUsd }) => costUsd)),
    toPlainArray(totals.map(({ events }) => events)),
    toPlainArray(totals.map(({ requests }) => requests)),
    toPlainArray(totals.map(({ firstAt }) => firstAt)),
    toPlainArray(totals.map(({ lastAt }) => lastAt)),
  ];
  if (counted.hasAll([...groups.keys()])) {
    await client.query({ name: 'add-to-daily-usage', text, values });
    return [];
  }
  const [, added] = await Promise.all([
    client.query({ name: 'lock-new-models', text: lockText, values: keys }),
    client.query<{ day: string; agent_id: string; model: string }>({
      name: 'add-new-to-daily-usage',
      text: boundedText,
      values,
    }),
  ]);
  return added.rows.map(({ day, agent_id, model }) => toName(day, agent_id, model));
}
