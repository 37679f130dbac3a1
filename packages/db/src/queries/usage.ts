import {
  type CostUsageEntry,
  columnOf,
  labelOf,
  type UnpricedModel,
  type UsageGroup,
  type usageGroups,
} from '@agp/core/contracts';
import { readUnpriced } from '@agp/core/events';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../database.ts';
import type { RowOf } from '../statements.ts';
import { bucketColumns, estimateQuantile, type Span, spans } from '../usage-columns.ts';

interface UsageQuery {
  groups: readonly UsageGroup[];
  /** The start of an hour, as `to`. */
  from?: Date | undefined;
  to?: Date | undefined;
  agentId?: string | undefined;
  /** Only so many entries, the dearest first; not by hour or day. */
  top?: number | undefined;
  /** With `top`: those first that failed most, instead of the dearest. */
  order?: 'cost' | 'failed' | undefined;
}

/** Labels stand in it by their groups' names, as text that is empty for none. */
export type UsageRow = Omit<CostUsageEntry, 'hour' | 'labels'> & { hour?: Date } & {
  [group: `label:${string}`]: string;
};

type Range = Pick<UsageQuery, 'from' | 'to' | 'agentId'>;

const dayMs = 86_400_000;
/** More if they are not by time, since each page then reads the whole range again. */
const pageSizes = { byTime: 2_000, others: 10_000 };

const isByTime = (groups: readonly UsageGroup[]) => groups.includes('hour') || groups.includes('day');
const pageSizeOf = (groups: readonly UsageGroup[]) => (isByTime(groups) ? pageSizes.byTime : pageSizes.others);

const startOfDay = (time: Date) => new Date(Math.floor(time.getTime() / dayMs) * dayMs);
const endOfDay = (time: Date) => new Date(Math.ceil(time.getTime() / dayMs) * dayMs);

/** The UTC day of a time, whatever its year. */
const dayOf = (time: Date) => sql`(${time}::timestamptz AT TIME ZONE 'UTC')::date`;

/** Sums by day are a tenth of those by hour, and tell neither hour, provider nor tag. */
const fitDays = (groups: readonly UsageGroup[]) =>
  groups.every((name) => name === 'day' || name === 'agent' || name === 'model');

/** The whole days of a range, and the hours before and after them; undefined without a whole day. */
function splitDays({ from, to, agentId }: Range): { days: Range; hours: Range[] } | undefined {
  const first = from && endOfDay(from);
  const last = to && startOfDay(to);
  if (first !== undefined && last !== undefined && first >= last) return undefined;
  const ends = [
    { from, to: first, agentId },
    { from: last, to, agentId },
  ];
  return {
    days: { from: first, to: last, agentId },
    hours: ends.filter((end) => end.from?.getTime() !== end.to?.getTime()),
  };
}

type Bound = (time: Date) => RawBuilder<unknown>;

function inRange(column: RawBuilder<unknown>, bound: Bound, { from, to, agentId }: Range): RawBuilder<unknown> {
  const of = agentId === undefined ? sql`true` : sql`agent_id = ${agentId}::uuid`;
  const since = from === undefined ? of : sql`${of} AND ${column} >= ${bound(from)}`;
  return to === undefined ? since : sql`${since} AND ${column} < ${bound(to)}`;
}

const inDays = (range: Range) => inRange(sql`day`, dayOf, range);
const inHours = (range: Range) => inRange(sql`hour`, (time) => sql`${time}::timestamptz`, range);

const inBuckets = spans.flatMap((span) => bucketColumns[span]).join(', ');
const sums = sql.raw(`cost_usd, prompt_tokens, completion_tokens, request_count, failed_count, ${inBuckets}`);
const sumBuckets = (span: Span) => bucketColumns[span].map((name) => `sum(${name})`).join(', ');
const counts = sql.raw(spans.map((span) => `ARRAY[${sumBuckets(span)}]::float8[] AS ${span}`).join(', '));
const readDays = (range: Range) => sql`SELECT day, agent_id, model, ${sums} FROM daily_usage WHERE ${inDays(range)}`;
const readDaysOfHours = (range: Range) => sql`
  SELECT (hour AT TIME ZONE 'UTC')::date AS day, agent_id, model, ${sums} FROM ${readHours(range)} AS hours`;

/** Usage with and without labels. @param withLabels also `labels` of each */
export function readHours(range: Range, withLabels = false): RawBuilder<unknown> {
  const read = (table: string, labelSet: RawBuilder<unknown>) => sql`
    SELECT hour, agent_id, model, provider, compliance_tag, ${labelSet} AS label_set, ${sums}
    FROM ${sql.table(table)} WHERE ${inHours(range)}`;
  const hours = sql`(
    ${read('hourly_usage', sql`NULL::uuid`)} UNION ALL ${read('hourly_labelled', sql`label_set`)})`;
  return withLabels ? sql`(SELECT * FROM ${hours} AS hours LEFT JOIN label_sets ON label_sets.id = label_set)` : hours;
}

/** Sums are made from the fewest rows that tell its groups. */
function readUsage(groups: readonly UsageGroup[], range: Range): RawBuilder<unknown> {
  const split = fitDays(groups) ? splitDays(range) : undefined;
  if (split === undefined) {
    const withLabels = groups.some((name) => labelOf(name) !== null);
    return sql`SELECT *, (hour AT TIME ZONE 'UTC')::date AS day FROM ${readHours(range, withLabels)} AS hours`;
  }
  return sql.join([readDays(split.days), ...split.hours.map(readDaysOfHours)], sql` UNION ALL `);
}

const inC = (column: string) => sql`${sql.ref(column)} COLLATE "C"`;

/** The value that a group is known by, and its type as a parameter. */
interface Key {
  of: RawBuilder<unknown>;
  type: RawBuilder<unknown>;
}

const keys: Record<keyof typeof usageGroups, Key> = {
  hour: { of: sql`hour`, type: sql`timestamptz` },
  day: { of: sql`to_char(day, 'YYYY-MM-DD') COLLATE "C"`, type: sql`text` },
  agent: { of: sql`agent_id`, type: sql`uuid` },
  model: { of: inC('model'), type: sql`text` },
  provider: { of: inC('provider'), type: sql`text` },
  tag: { of: inC('compliance_tag'), type: sql`text` },
};

function keyOf(group: UsageGroup): Key {
  const label = labelOf(group);
  if (label === null) return keys[group as keyof typeof usageGroups];
  return { of: sql`coalesce(labels->>${sql.lit(label)}, '') COLLATE "C"`, type: sql`text` };
}

async function readPage(
  db: Db,
  groups: readonly UsageGroup[],
  range: Range,
  after?: UsageRow,
  { top, order }: Pick<UsageQuery, 'top' | 'order'> = {},
) {
  // By their places: Postgres cuts names at 63 bytes, and labels may have longer ones.
  const names = groups.map((_, at) => sql.id(`group_${at}`));
  const columns = groups.map((name, at) => sql`${keyOf(name).of} AS ${sql.id(`group_${at}`)}, `);
  const list = sql.join(names);
  const rest =
    after === undefined
      ? sql``
      : sql`WHERE (${sql.join(groups.map((name) => keyOf(name).of))}) >
          (${sql.join(groups.map((name) => sql`${after[columnOf(name) as keyof UsageRow]}::${keyOf(name).type}`))})`;
  const first = sql.ref(order === 'failed' ? 'failed_count' : 'total_cost_usd');
  const sorted = top === undefined ? list : sql`${first} DESC, request_count DESC, ${list}`;
  const agent = groups.indexOf('agent');
  const nameOfAgent = sql`, (SELECT name FROM agents WHERE agents.id = ${sql.ref(`usage.group_${agent}`)}) AS agent_name`;
  const { rows } = await sql<UsageRow & Record<Span, number[]>>`
    SELECT usage.* ${agent < 0 ? sql`` : nameOfAgent}
    FROM (
      SELECT ${sql.join(columns, sql``)} coalesce(sum(cost_usd), 0) AS total_cost_usd,
        coalesce(sum(prompt_tokens), 0) AS total_prompt_tokens,
        coalesce(sum(completion_tokens), 0) AS total_completion_tokens,
        coalesce(sum(prompt_tokens) + sum(completion_tokens), 0) AS total_tokens,
        coalesce(sum(request_count), 0) AS request_count, coalesce(sum(failed_count), 0) AS failed_count,
        ${counts}
      FROM (${readUsage(groups, range)}) AS used ${rest}
      ${groups.length === 0 ? sql`` : sql`GROUP BY ${sql.join(groups.map((_, at) => sql.raw(String(at + 1))))}`}
    ) AS usage ${groups.length === 0 ? sql`` : sql`ORDER BY ${sorted} LIMIT ${top ?? pageSizeOf(groups)}`}`.execute(db);
  return rows.map(({ duration_ms: durations, first_byte_ms: firstBytes, ...row }) => ({
    ...(Object.fromEntries(
      Object.entries(row).map(([name, value]) => {
        const [, at] = /^group_(\d)$/.exec(name) ?? [];
        return [at === undefined ? name : columnOf(groups[Number(at)] as UsageGroup), value];
      }),
    ) as UsageRow),
    p50_ms: estimateQuantile(durations, 0.5),
    p95_ms: estimateQuantile(durations, 0.95),
    first_byte_p50_ms: estimateQuantile(firstBytes, 0.5),
    first_byte_p95_ms: estimateQuantile(firstBytes, 0.95),
  }));
}

async function* readRange(db: Db, groups: readonly UsageGroup[], range: Range) {
  let after: UsageRow | undefined;
  do {
    const rows: UsageRow[] = await readPage(db, groups, range, after);
    if (rows.length > 0) yield rows;
    after = groups.length > 0 && rows.length === pageSizeOf(groups) ? rows.at(-1) : undefined;
  } while (after !== undefined);
}

/** Or an hour before it on the same UTC day. */
async function findFirst(db: Db, groups: readonly UsageGroup[], range: Range): Promise<Date | null> {
  const { from, to } = range;
  const first = fitDays(groups)
    ? sql<{ first: Date }>`
        SELECT day::timestamp AT TIME ZONE 'UTC' AS first FROM daily_usage
        WHERE ${inDays({ ...range, to: to && endOfDay(to) })} ORDER BY day LIMIT 1`
    : sql<{ first: Date }>`
        SELECT min(first) AS first FROM (
          (SELECT hour AS first FROM hourly_usage WHERE ${inHours(range)} ORDER BY hour LIMIT 1) UNION ALL
          (SELECT hour FROM hourly_labelled WHERE ${inHours(range)} ORDER BY hour LIMIT 1)
        ) AS firsts HAVING count(*) > 0`;
  const [row] = (await first.execute(db)).rows;
  if (row === undefined) return null;
  return from !== undefined && from > row.first ? from : row.first;
}

/** Sums in the groups' order, time first, or with `top` the dearest first; read a day at a time, so that a statement reads little. */
export async function* listUsage(db: Db, query: UsageQuery): AsyncGenerator<UsageRow[]> {
  const { to, agentId, top } = query;
  const isOfTime = (group: UsageGroup) => Number(isByTime([group]));
  const groups = query.groups.toSorted((one, other) => isOfTime(other) - isOfTime(one));
  if (top !== undefined) {
    yield await readPage(db, groups, query, undefined, query);
    return;
  }
  if (!isByTime(groups)) {
    yield* readRange(db, groups, { from: query.from, to, agentId });
    return;
  }
  for (let from = query.from; from === undefined || to === undefined || from < to; ) {
    const first = await findFirst(db, groups, { from, to, agentId });
    if (first === null) return;
    const next = new Date(startOfDay(first).getTime() + dayMs);
    const end = to === undefined || next < to ? next : to;
    yield* readRange(db, groups, { from: first, to: end, agentId });
    from = end;
  }
}

type UnpricedModelRow = RowOf<UnpricedModel, 'first_seen_at' | 'last_seen_at'>;

/** Models without a price, and units of others; the most requested first, ties by provider and model. */
export async function listUnpricedModels(db: Db): Promise<UnpricedModelRow[]> {
  const { rows } = await sql<UnpricedModelRow>`
    SELECT provider, model, request_count, prompt_tokens AS total_prompt_tokens,
      completion_tokens AS total_completion_tokens, first_event_at AS first_seen_at, last_event_at AS last_seen_at
    FROM unpriced_usage
    ORDER BY request_count DESC, provider, model`.execute(db);
  return rows.map(({ provider, model, ...used }) => ({ provider, ...readUnpriced(model), ...used }));
}
