import { type CostUsageEntry, type UsageGroup, usageGroups } from '@agp/core/contracts';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../database.ts';

export interface UsageQuery {
  groups: readonly UsageGroup[];
  /** The start of an hour, as `to`. */
  from?: Date | undefined;
  to?: Date | undefined;
  /** Only usage of this agent. */
  agentId?: string | undefined;
}

/** An entry; its hour is not text yet. */
export type UsageRow = Omit<CostUsageEntry, 'hour'> & { hour?: Date };

type Range = Pick<UsageQuery, 'from' | 'to' | 'agentId'>;

const dayMs = 86_400_000;
/** Rows that are held in memory at a time: more where they are not by time, since each page then reads the whole range again. */
const pageSizes = { byTime: 2_000, others: 10_000 };

const isByTime = (groups: readonly UsageGroup[]) => groups.includes('hour') || groups.includes('day');
const pageSizeOf = (groups: readonly UsageGroup[]) => (isByTime(groups) ? pageSizes.byTime : pageSizes.others);

const startOfDay = (time: Date) => new Date(Math.floor(time.getTime() / dayMs) * dayMs);
const isWholeDay = (time: Date | undefined) => time === undefined || time.getTime() % dayMs === 0;

/** The UTC day of a time, whatever its year. */
const dayOf = (time: Date) => sql`(${time}::timestamptz AT TIME ZONE 'UTC')::date`;

/** Sums by day are a tenth of those by hour, and tell neither hour, provider nor tag. */
const readsDays = ({ groups, from, to }: UsageQuery) =>
  groups.every((name) => name === 'day' || name === 'agent' || name === 'model') && isWholeDay(from) && isWholeDay(to);

function chooseSource(query: UsageQuery) {
  if (readsDays(query)) {
    return {
      table: sql`daily_usage`,
      time: sql`day::timestamp AT TIME ZONE 'UTC'`,
      day: sql`day`,
      bound: dayOf,
      column: sql`day`,
    };
  }
  return {
    table: sql`hourly_usage`,
    time: sql`hour`,
    day: sql`(hour AT TIME ZONE 'UTC')::date`,
    bound: (time: Date) => sql`${time}::timestamptz`,
    column: sql`hour`,
  };
}

type Source = ReturnType<typeof chooseSource>;

const inC = (column: string) => sql`${sql.ref(column)} COLLATE "C"`;

/** The values that a group is known by, and the type of each as a parameter. */
const keysOf = (source: Source): Record<UsageGroup, { of: RawBuilder<unknown>; type: RawBuilder<unknown> }> => ({
  hour: { of: source.time, type: sql`timestamptz` },
  day: { of: sql`to_char(${source.day}, 'YYYY-MM-DD') COLLATE "C"`, type: sql`text` },
  agent: { of: sql`agent_id`, type: sql`uuid` },
  model: { of: inC('model'), type: sql`text` },
  provider: { of: inC('provider'), type: sql`text` },
  tag: { of: inC('compliance_tag'), type: sql`text` },
});

function inRange({ column, bound }: Source, { from, to, agentId }: Range): RawBuilder<unknown> {
  const of = agentId === undefined ? sql`true` : sql`agent_id = ${agentId}::uuid`;
  const since = from === undefined ? of : sql`${of} AND ${column} >= ${bound(from)}`;
  return to === undefined ? since : sql`${since} AND ${column} < ${bound(to)}`;
}

/** False while the hours of a query are not summed yet: after the upgrade that made these sums, older days take a while. */
export async function isUsageFilled(db: Db, query: UsageQuery): Promise<boolean> {
  if (readsDays(query)) return true;
  const from = query.from === undefined ? sql`'-infinity'` : dayOf(query.from);
  const { rows } = await sql<{ filled: boolean }>`SELECT filled_from <= ${from} AS filled FROM rollup_fill`.execute(db);
  return rows[0]?.filled ?? false;
}

async function readPage(db: Db, source: Source, groups: readonly UsageGroup[], range: Range, after?: UsageRow) {
  const keys = keysOf(source);
  const names = groups.map((name) => sql.ref(usageGroups[name]));
  const columns = groups.map((name) => sql`${keys[name].of} AS ${sql.ref(usageGroups[name])}, `);
  const list = sql.join(names);
  const rest =
    after === undefined
      ? sql``
      : sql`AND (${sql.join(groups.map((name) => keys[name].of))}) >
          (${sql.join(groups.map((name) => sql`${after[usageGroups[name]]}::${keys[name].type}`))})`;
  const ofAgent = groups.includes('agent');
  const { rows } = await sql<UsageRow>`
    SELECT usage.* ${ofAgent ? sql`, (SELECT name FROM agents WHERE agents.id = usage.agent_id) AS agent_name` : sql``}
    FROM (
      SELECT ${sql.join(columns, sql``)} coalesce(sum(cost_usd), 0) AS total_cost_usd,
        coalesce(sum(prompt_tokens), 0) AS total_prompt_tokens,
        coalesce(sum(completion_tokens), 0) AS total_completion_tokens,
        coalesce(sum(prompt_tokens) + sum(completion_tokens), 0) AS total_tokens,
        coalesce(sum(request_count), 0) AS request_count
      FROM ${source.table} WHERE ${inRange(source, range)} ${rest}
      ${groups.length === 0 ? sql`` : sql`GROUP BY ${sql.join(groups.map((_, at) => sql.raw(String(at + 1))))}`}
    ) AS usage ${groups.length === 0 ? sql`` : sql`ORDER BY ${list} LIMIT ${pageSizeOf(groups)}`}`.execute(db);
  return rows;
}

/** All groups of a range, in pages. */
async function* readRange(db: Db, source: Source, groups: readonly UsageGroup[], range: Range) {
  let after: UsageRow | undefined;
  do {
    const rows: UsageRow[] = await readPage(db, source, groups, range, after);
    if (rows.length > 0) yield rows;
    after = groups.length > 0 && rows.length === pageSizeOf(groups) ? rows.at(-1) : undefined;
  } while (after !== undefined);
}

/** The first hour or day of a range that has usage. */
async function findFirst(db: Db, source: Source, range: Range): Promise<Date | null> {
  const { rows } = await sql<{ first: Date | null }>`
    SELECT ${source.time} AS first FROM ${source.table} WHERE ${inRange(source, range)}
    ORDER BY ${source.column} LIMIT 1`.execute(db);
  return rows[0]?.first ?? null;
}

/**
 * Usage summed by groups, in their order, added exactly by Postgres. By hour or day it is read a day at a time, so that a statement reads
 * little however long the range is.
 */
export async function* listUsage(db: Db, query: UsageQuery): AsyncGenerator<UsageRow[]> {
  const source = chooseSource(query);
  const { groups, to, agentId } = query;
  if (!isByTime(groups)) {
    yield* readRange(db, source, groups, { from: query.from, to, agentId });
    return;
  }
  for (let from = query.from; ; ) {
    const first = await findFirst(db, source, { from, to, agentId });
    if (first === null) return;
    const next = new Date(startOfDay(first).getTime() + dayMs);
    const end = to === undefined || next < to ? next : to;
    yield* readRange(db, source, groups, { from: first, to: end, agentId });
    from = end;
  }
}
