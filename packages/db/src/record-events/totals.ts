import { nameUnpriced, readUnpricedUnits } from '@agp/core/events';
import type { ClientBase } from 'pg';
import { hourlySums } from '../usage-columns.ts';
import { toPlainArray, toTextArray } from './array-literals.ts';
import { type CountedNames, makeNameCounter, type NamedUsage } from './counted-names.ts';
import type { RecordableEvent } from './recordable-event.ts';
import { totalsBy } from './sum-events.ts';

/** The most models of an agent, in all time, that are counted by name: each day adds names that it may have made up. */
export const maxModelsOfAgent = 999;

/** Models beyond the bound are counted together, under `other`. */
export const addToAgentUsage = makeNameCounter({
  table: 'agent_usage',
  group: { agent_id: { type: 'uuid', of: ({ agentId }) => agentId } },
  name: 'model',
  measures: [
    ...(['prompt_tokens', 'completion_tokens', 'cost_usd', 'event_count'] as const),
    ...(['request_count', 'first_event_at', 'last_event_at'] as const),
  ],
  maxNames: maxModelsOfAgent,
  order: (model) => `agent_id, ${model}`,
  lockName: `'agent ' || agent_id`,
});

export const maxModelsOfDay = 200;

/** Models beyond the bound are counted together, under `other`. */
export const addToDailyUsage = makeNameCounter({
  table: 'daily_usage',
  group: {
    day: { type: 'date', of: ({ event }) => event.timestamp.slice(0, 10) },
    agent_id: { type: 'uuid', of: ({ agentId }) => agentId },
  },
  name: 'model',
  measures: [...hourlySums, 'first_event_at', 'last_event_at'],
  maxNames: maxModelsOfDay,
  order: (model) => `day, agent_id, ${model}`,
  lockName: `day || ' ' || agent_id`,
});

/** Rows that a day's spend is spread over: usually more than batches that are recorded at once. */
const shards = 32;

const globalSpendSql = `
  INSERT INTO daily_global_spend (day, shard, cost_usd)
  SELECT day, $3, cost_usd FROM unnest($1::date[], $2::numeric[]) AS gained (day, cost_usd) ORDER BY day
  ON CONFLICT (day, shard) DO UPDATE SET cost_usd = daily_global_spend.cost_usd + EXCLUDED.cost_usd`;

/** The last lock of the transaction, and a short one. */
export async function addToGlobalSpend(client: ClientBase, rows: readonly RecordableEvent[]): Promise<void> {
  const totals = [...totalsBy(rows, ({ event }) => event.timestamp.slice(0, 10)).entries()];
  const shard = Math.floor(Math.random() * shards);
  await client.query({
    name: 'add-to-global-spend',
    text: globalSpendSql,
    values: [toPlainArray(totals.map(([day]) => day)), toPlainArray(totals.map(([, { costUsd }]) => costUsd)), shard],
  });
}

/** Models, providers and tags of one agent, UTC hour and set of labels that are counted with their tag. */
export const maxTagsOfHour = 100;

export const hourOf = (timestamp: string): string => `${timestamp.slice(0, 13)}:00Z`;

const hourAndAgent: NamedUsage['group'] = {
  hour: {
    type: 'timestamptz',
    of: ({ event }) => hourOf(event.timestamp),
    shown: `to_char(hour AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI"Z"')`,
  },
  agent_id: { type: 'uuid', of: ({ agentId }) => agentId },
};

const byHour = {
  kept: {
    model: { type: 'text', of: ({ event }) => event.model },
    provider: { type: 'text', of: ({ event }) => event.provider },
  },
  name: 'compliance_tag',
  renamed: {
    model: `CASE WHEN EXISTS (
      SELECT FROM daily_usage AS daily
      WHERE daily.day = (gained.hour AT TIME ZONE 'UTC')::date AND daily.agent_id = gained.agent_id AND daily.model = gained.model
    ) THEN gained.model ELSE 'other' END`,
  },
  measures: hourlySums,
  maxNames: maxTagsOfHour,
} satisfies Partial<NamedUsage>;

const addUnlabelled = makeNameCounter({
  ...byHour,
  table: 'hourly_usage',
  group: hourAndAgent,
  order: (tag) => `hour, agent_id, model, provider, ${tag}`,
  lockName: `'hour ' || extract(epoch FROM hour) || ' ' || agent_id`,
});

// A name of its own for its locks: those of a transaction are sorted within a table alone.
const addLabelled = makeNameCounter({
  ...byHour,
  table: 'hourly_labelled',
  group: { ...hourAndAgent, label_set: { type: 'uuid', of: ({ labelSet }) => labelSet as string } },
  order: (tag) => `hour, agent_id, label_set, model, provider, ${tag}`,
  lockName: `'labelled ' || extract(epoch FROM hour) || ' ' || agent_id || ' ' || label_set`,
});

async function addLabelSets(client: ClientBase, rows: readonly RecordableEvent[], counted: CountedNames) {
  const sets = new Map(rows.map(({ labelSet, event }) => [labelSet as string, JSON.stringify(event.labels)]));
  const names = [...sets.keys()].map((id) => `label_sets\0${id}`);
  if (counted.hasAll(names)) return [];
  await client.query({
    name: 'add-label-sets',
    text: `INSERT INTO label_sets (id, labels) SELECT * FROM unnest($1::uuid[], $2::jsonb[]) AS asked (id) ORDER BY id
           ON CONFLICT (id) DO NOTHING`,
    values: [toPlainArray([...sets.keys()]), toTextArray([...sets.values()])],
  });
  return names;
}

/** After daily usage, so that the hours of a day add up to the day; tags beyond the bound count as `other`. */
export async function addToHourlyUsage(
  client: ClientBase,
  rows: readonly RecordableEvent[],
  counted: CountedNames,
): Promise<string[]> {
  const { true: labelled = [], false: others = [] } = Object.groupBy(rows, ({ labelSet }) => `${labelSet !== null}`);
  const added = await Promise.all([
    ...(others.length === 0 ? [] : [addUnlabelled(client, others, counted)]),
    ...(labelled.length === 0 ? [] : [addLabelSets(client, labelled, counted), addLabelled(client, labelled, counted)]),
  ]);
  return added.flat();
}

const hourlyFindingsSql = `
  INSERT INTO hourly_findings (hour, agent_id, kind, event_count, last_event_at)
  SELECT hour, agent_id, kind, count(*), max(at)
  FROM unnest($1::timestamptz[], $2::uuid[], $3::text[], $4::timestamptz[]) AS found (hour, agent_id, kind, at)
  GROUP BY hour, agent_id, kind ORDER BY hour, agent_id, kind
  ON CONFLICT (hour, agent_id, kind) DO UPDATE SET
    event_count = hourly_findings.event_count + EXCLUDED.event_count,
    last_event_at = GREATEST(hourly_findings.last_event_at, EXCLUDED.last_event_at)`;

/** By UTC hour, agent and kind; the kinds are those of our own detectors. */
export async function addToHourlyFindings(client: ClientBase, rows: readonly RecordableEvent[]): Promise<void> {
  const found = rows
    .filter(({ event }) => event.pii_detected)
    .flatMap((row) => [...new Set(row.event.pii_types)].map((kind) => ({ ...row, kind })));
  if (found.length === 0) return;
  await client.query({
    name: 'add-to-hourly-findings',
    text: hourlyFindingsSql,
    values: [
      toPlainArray(found.map(({ event }) => hourOf(event.timestamp))),
      toPlainArray(found.map(({ agentId }) => agentId)),
      toTextArray(found.map(({ kind }) => kind)),
      toPlainArray(found.map(({ event }) => event.timestamp)),
    ],
  });
}

// LEAST and GREATEST ignore the nulls of a session that was claimed and has no event yet.
const sessionsSql = `
  INSERT INTO sessions (
    id, agent_id, started_at, ended_at, event_count, total_tokens, total_cost_usd, compliance_tag, pii_detected,
    last_event_id)
  SELECT * FROM unnest(
    $1::text[], $2::uuid[], $3::timestamptz[], $4::timestamptz[], $5::bigint[], $6::bigint[], $7::numeric[],
    $8::text[], $9::boolean[], $10::uuid[]
  ) AS gained (id) ORDER BY id COLLATE "C"
  ON CONFLICT (id) DO UPDATE SET
    started_at = LEAST(sessions.started_at, EXCLUDED.started_at),
    ended_at = GREATEST(sessions.ended_at, EXCLUDED.ended_at),
    event_count = sessions.event_count + EXCLUDED.event_count,
    total_tokens = sessions.total_tokens + EXCLUDED.total_tokens,
    total_cost_usd = sessions.total_cost_usd + EXCLUDED.total_cost_usd,
    compliance_tag = CASE WHEN sessions.last_event_id > EXCLUDED.last_event_id
      THEN sessions.compliance_tag ELSE EXCLUDED.compliance_tag END,
    pii_detected = sessions.pii_detected OR EXCLUDED.pii_detected,
    last_event_id = GREATEST(sessions.last_event_id, EXCLUDED.last_event_id)`;

/** A session keeps the agent it has. */
export async function addToSessions(client: ClientBase, rows: readonly RecordableEvent[]): Promise<void> {
  const groups = totalsBy(rows, ({ event }) => event.session_id);
  const totals = [...groups.values()];
  await client.query({
    name: 'add-to-sessions',
    text: sessionsSql,
    values: [
      toPlainArray([...groups.keys()]),
      toPlainArray(totals.map(({ latest }) => latest.agentId)),
      toPlainArray(totals.map(({ firstAt }) => firstAt)),
      toPlainArray(totals.map(({ lastAt }) => lastAt)),
      toPlainArray(totals.map(({ events }) => events)),
      toPlainArray(totals.map(({ totalTokens }) => totalTokens)),
      toPlainArray(totals.map(({ costUsd }) => costUsd)),
      toTextArray(totals.map(({ latest }) => latest.event.compliance_tag)),
      toPlainArray(totals.map(({ piiDetected }) => piiDetected)),
      toPlainArray(totals.map(({ latest }) => latest.id)),
    ],
  });
}

/** The most models of one provider that are counted by name. */
export const maxUnpricedModels = 1_000;

const add = makeNameCounter({
  table: 'unpriced_usage',
  group: { provider: { type: 'text', of: ({ event }) => event.provider } },
  name: 'model',
  measures: ['request_count', 'prompt_tokens', 'completion_tokens', 'first_event_at', 'last_event_at'],
  maxNames: maxUnpricedModels,
  order: (model) => `provider COLLATE "C", ${model} COLLATE "C"`,
  lockName: `'unpriced ' || provider`,
});

/** Usage was counted, but its price is not known. */
function isUnpriced({ event }: RecordableEvent): boolean {
  return event.price_version === null && (event.usage_source === 'provider' || event.usage_source === 'estimated');
}

/** Lists the units without a price that a model with a price used. */
function listUnpricedUnits(row: RecordableEvent): RecordableEvent[] {
  const { event } = row;
  return readUnpricedUnits(event.price_version).map((unit) => ({
    ...row,
    event: { ...event, model: nameUnpriced(event.model, unit) },
  }));
}

/** Models beyond the bound are counted together, under `other`. */
export async function addToUnpricedUsage(
  client: ClientBase,
  rows: readonly RecordableEvent[],
  counted: CountedNames,
): Promise<string[]> {
  const unpriced = [...rows.filter(isUnpriced), ...rows.flatMap(listUnpricedUnits)];
  return unpriced.length === 0 ? [] : add(client, unpriced, counted);
}
