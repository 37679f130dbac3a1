import {
  type Event,
  type EventDetail,
  eventSchema,
  type ListedEvent,
  mostCounted,
  outcomeNames,
} from '@agp/core/contracts';
import { columnFields, type EventMessage, eventFields, type FieldsWhere, listFields } from '@agp/core/events';
import { failedEndings } from '@agp/core/explain';
import { firstUuidAt } from '@agp/core/ids';
import { type SelectQueryBuilder, sql } from 'kysely';
import type { Pool } from 'pg';
import type { Db } from '../database.ts';
import type { Schema } from '../schema.ts';
import type { RowOf } from '../statements.ts';
import { hasLabel } from './agents.ts';
import {
  countRows,
  type Decided,
  firstIdAt,
  listPartitions,
  type Page,
  type RequestFilter,
  readPages,
  wasDecided,
} from './pages.ts';

export const eventColumns = Object.keys(eventSchema.shape) as (keyof Event)[];

/** With its agent's name, and how it ended, only if that was asked for. */
export type EventRow = RowOf<Event, 'timestamp'> & Pick<ListedEvent, 'agent_name' | (typeof outcomeNames)[number]>;

interface EventExtras {
  withNames?: boolean;
  withOutcomes?: boolean;
}

const nameOfAgent = (column: string) =>
  sql<string>`(SELECT name FROM agents WHERE agents.id = ${sql.ref(column)})`.as('agent_name');

/** Which of the events, by UUID, are part of the spend of their day: recorded, or kept as unrecorded. */
export async function findRecordedIds(pool: Pool, eventIds: readonly string[]): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>({
    name: 'find-recorded-ids',
    // OFFSET 0: each event is looked up in its one partition.
    text: `SELECT found.id FROM unnest($1::uuid[]) AS asked (id)
           CROSS JOIN LATERAL (SELECT id FROM events WHERE events.id = asked.id OFFSET 0) AS found
           UNION SELECT event_id FROM unrecorded_spend WHERE event_id = ANY($1::uuid[])`,
    values: [eventIds],
  });
  return rows.map(({ id }) => id);
}

/** From `from` on and below `to`; without one of them there is no such bound. */
interface IdRange {
  from?: string | undefined;
  to?: string | undefined;
}

/** Events that were recorded so long after their time are in an index of their own, `events_recorded_late`. */
const lateMs = 10 * 60_000;

const laterOf = (one: string | undefined, other: string | undefined) =>
  one === undefined || (other !== undefined && other > one) ? other : one;
const earlierOf = (one: string | undefined, other: string | undefined) =>
  one === undefined || (other !== undefined && other < one) ? other : one;

function overlap(one: IdRange, other: IdRange): IdRange | null {
  const from = laterOf(one.from, other.from);
  const to = earlierOf(one.to, other.to);
  return from !== undefined && to !== undefined && from >= to ? null : { from, to };
}

/**
 * Cuts a range of ids into parts that Postgres reads each in the order of ids, the latest first. If ids may also lie in the default
 * partition, it looks for the first match in every week before it returns any; so what lies outside the weeks is read apart.
 * @param isRare each week is read apart too: Postgres takes what was decided in some weeks alone for as frequent in all
 */
function splitByWeeks(range: IdRange, weeks: readonly IdRange[], isRare: boolean): IdRange[] {
  const [first, last] = [weeks[0], weeks.at(-1)];
  if (first === undefined || last === undefined) return [range];
  const inWeeks = isRare ? weeks.toReversed() : [{ from: first.from, to: last.to }];
  return [{ from: last.to }, ...inWeeks, { to: first.from }]
    .map((part) => overlap(range, part))
    .filter((part) => part !== null);
}

/**
 * Cuts a range in two: most events of the last part, from ten minutes before `recordedAfter` on, were recorded after that time, and only
 * late
 * ones of the first part.
 */
function splitByRecording(range: IdRange, recordedAfter: Date): { recent: IdRange | null; late: IdRange | null } {
  const cut = firstUuidAt(Math.max(0, recordedAfter.getTime() - lateMs));
  return { recent: overlap(range, { from: cut }), late: overlap(range, { to: cut }) };
}

export interface EventFilter extends RequestFilter {
  sessionId?: string | undefined;
  recordedAfter?: Date | undefined;
  model?: string | undefined;
  provider?: string | undefined;
  complianceTag?: string | undefined;
  label?: string | undefined;
  piiDetected?: boolean | undefined;
  piiType?: string | undefined;
  outcome?: NonNullable<EventMessage['outcome']> | undefined;
  failed?: boolean | undefined;
  /** The lowest and the highest. */
  httpStatus?: { from: number; to: number } | undefined;
  decided?: Decided | undefined;
  requestId?: string | undefined;
  providerRequestId?: string | undefined;
  cursor?: string | undefined;
}

type Query = SelectQueryBuilder<Schema, 'events', EventRow>;

function selectMatching(db: Db, filter: EventFilter, columns: readonly (keyof EventRow)[]): Query {
  let query = db.selectFrom('events').select(columns as typeof eventColumns) as unknown as Query;
  if (filter.agentId !== undefined) query = query.where('agent_id', '=', filter.agentId);
  if (filter.sessionId !== undefined) query = query.where('session_id', '=', filter.sessionId);
  if (filter.recordedAfter !== undefined) query = query.where('recorded_at', '>', filter.recordedAfter);
  if (filter.model !== undefined) query = query.where('model', '=', filter.model);
  if (filter.provider !== undefined) query = query.where('provider', '=', filter.provider);
  if (filter.complianceTag !== undefined) query = query.where('compliance_tag', '=', filter.complianceTag);
  if (filter.label !== undefined) query = query.where(hasLabel(filter.label, 'events.labels'));
  if (filter.piiDetected !== undefined) query = query.where('pii_detected', '=', filter.piiDetected);
  // The index of findings holds detected ones.
  if (filter.piiType !== undefined)
    query = query.where('pii_detected', '=', true).where(sql<boolean>`${filter.piiType} = ANY(pii_types)`);
  if (filter.outcome !== undefined) query = query.where('outcome', '=', filter.outcome);
  if (filter.httpStatus !== undefined)
    query = query.where('http_status', '>=', filter.httpStatus.from).where('http_status', '<=', filter.httpStatus.to);
  if (filter.decided !== undefined) query = query.where(wasDecided(filter.decided));
  if (filter.requestId !== undefined) query = query.where('request_id', '=', filter.requestId);
  if (filter.providerRequestId !== undefined) query = query.where('provider_request_id', '=', filter.providerRequestId);
  return query;
}

/** Failed calls and calls answered with an error are read apart: each has an index. */
function splitByEnding(query: Query, { failed }: EventFilter): Query[] {
  if (!failed) return [query];
  return failedEndings.map(({ outcome, leastStatus }) => {
    const ended = query.where('outcome', '=', outcome);
    return leastStatus === null ? ended : ended.where('http_status', '>=', leastStatus);
  });
}

function inRange(query: Query, { from, to }: IdRange): Query {
  const since = from === undefined ? query : query.where('id', '>=', from);
  return to === undefined ? since : since.where('id', '<', to);
}

let known: { weeks: readonly IdRange[]; at: number } | null = null;
const keptMs = 60_000;

/** Where the weeks begin and end. A list is right with old ones too, and to read them takes longer than it. */
async function findWeeks(db: Db): Promise<readonly IdRange[]> {
  if (known === null || performance.now() - known.at >= keptMs)
    known = { weeks: await listPartitions(db), at: performance.now() };
  return known.weeks;
}

/** An id holds the millisecond of its event, so times are ranges of the primary key; undefined for a range without any. */
async function selectPage(
  db: Db,
  filter: EventFilter,
  page: Page,
  columns: readonly (keyof EventRow)[],
): Promise<SelectQueryBuilder<Schema, 'events', EventRow> | undefined> {
  const weeks = await findWeeks(db);
  const ends = [filter.to && firstIdAt(filter.to), filter.cursor].filter((end) => end !== undefined);
  const asked = { from: filter.from && firstIdAt(filter.from), to: ends.sort()[0] };
  const endings = splitByEnding(selectMatching(db, filter, columns), filter);
  const read = (query: Query) => query.orderBy('id', 'desc').limit(page.limit + page.offset);

  const { recent, late } =
    filter.recordedAfter === undefined ? { recent: asked, late: null } : splitByRecording(asked, filter.recordedAfter);
  const parts = (
    recent === null ? [] : splitByWeeks(recent, weeks, filter.decided !== undefined || filter.label !== undefined)
  ).flatMap((part) => endings.map((matching) => read(inRange(matching, part))));
  if (late !== null) {
    const isLate = sql<boolean>`recorded_at - "timestamp" > interval '10 minutes'`;
    // OFFSET 0 keeps Postgres from reading in the order of ids, which is right only if many match.
    const found = endings.map((matching) => inRange(matching, late).where(isLate).offset(0));
    parts.push(...found.map((each) => read(db.selectFrom(each.as('events')).selectAll() as unknown as Query)));
  }
  const [first, ...others] = parts.map((part) => db.selectFrom(part.as('part')).selectAll());
  if (first === undefined) return;
  const all = others.reduce((union, part) => union.unionAll(part), first);
  const found = db.selectFrom(all.as('found')).selectAll().orderBy('id', 'desc').limit(page.limit).offset(page.offset);
  return found as unknown as SelectQueryBuilder<Schema, 'events', EventRow>;
}

/** One page of events, newest first. */
export async function listEvents(
  db: Db,
  filter: EventFilter,
  page: Page,
  { withNames = false, withOutcomes = false }: EventExtras = {},
): Promise<EventRow[]> {
  const found = await selectPage(db, filter, page, [...eventColumns, ...(withOutcomes ? outcomeNames : [])]);
  return (await found?.$if(withNames, (query) => query.select(nameOfAgent('found.agent_id'))).execute()) ?? [];
}

/** @see countRows */
export async function countEvents(db: Db, filter: EventFilter): Promise<number | null> {
  const found = await selectPage(db, { ...filter, cursor: undefined }, { limit: mostCounted + 1, offset: 0 }, ['id']);
  return found === undefined ? 0 : await countRows(db, found);
}

/** Sessions of the latest events that failed. @param limit of events */
export async function listFailedSessions(db: Db, filter: EventFilter, limit: number): Promise<string[]> {
  const found = await selectPage(db, { ...filter, failed: true }, { limit, offset: 0 }, ['id', 'session_id']);
  return [...new Set((await found?.execute())?.map(({ session_id: id }) => id))];
}

/** In the order of their timestamps; only `length` links from the start of the chain, to match totals that were read before. */
export function listSessionEvents(
  db: Db,
  sessionId: string,
  { length, withNames = false, withOutcomes = false }: EventExtras & { length?: number } = {},
): AsyncGenerator<EventRow[]> {
  return readPages<EventRow>({ offset: 0 }, ({ after, limit }) => {
    let query = db
      .selectFrom('events')
      .select(eventColumns)
      .$if(withNames, (named) => named.select(nameOfAgent('events.agent_id')))
      .$if(withOutcomes, (ended) => ended.select(outcomeNames))
      .where('session_id', '=', sessionId);
    if (length !== undefined) query = query.where('seq', '<', length);
    if (after !== undefined) query = query.where('id', '>', after.id);
    return query.orderBy('id').limit(limit).execute();
  });
}

/** Columns beside those of a list that the payload has too. */
export const chainedColumns = columnFields.filter(isChainedDetail);
export type ChainedColumn = (typeof chainedColumns)[number];

function isChainedDetail(name: (typeof columnFields)[number]): name is ChainedDetailName {
  const { in: place, shown } = eventFields[name];
  return place === 'chain' && shown !== 'event';
}

type ChainedDetailName = Extract<
  FieldsWhere<{ column: string }>,
  FieldsWhere<{ in: 'chain'; shown: 'outcome' | 'detail' }>
>;

const notes = listFields({ in: 'notes' });

const detailColumns = [...chainedColumns, ...(['seq', 'recorded_at', 'payload'] as const), ...notes];

export type EventDetailRow = EventRow & {
  agent_name: string | null;
  seq: number;
  recorded_at: Date;
  payload: string;
  /** `genesis` for the first; null if it is not near. */
  previous_hash: string | null;
} & Pick<EventDetail, ChainedColumn | (typeof notes)[number]>;

/** Events of the session before and after one, among which the one before it in the chain is looked for: no index has `seq`. */
const near = 2_000;

export async function readEventDetail(db: Db, id: string): Promise<EventDetailRow | undefined> {
  const row = await db
    .selectFrom('events')
    .leftJoin('agents', 'agents.id', 'events.agent_id')
    .select([...eventColumns, ...detailColumns].map((name) => `events.${name}` as const))
    .select('agents.name as agent_name')
    .where('events.id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return { ...row, previous_hash: await readPreviousHash(db, row) } as EventDetailRow;
}

async function readPreviousHash(
  db: Db,
  { id, session_id, seq }: { id: string; session_id: string; seq: number },
): Promise<string | null> {
  if (seq === 0) return 'genesis';
  const { rows } = await sql<{ lineage_hash: string }>`
    SELECT lineage_hash FROM lineage_anchors WHERE session_id = ${session_id} AND last_seq = ${seq - 1}
    UNION ALL
    SELECT lineage_hash FROM (
      (SELECT seq, lineage_hash FROM events WHERE session_id = ${session_id} AND id < ${id} ORDER BY id DESC LIMIT ${near})
      UNION ALL
      (SELECT seq, lineage_hash FROM events WHERE session_id = ${session_id} AND id > ${id} ORDER BY id LIMIT ${near})
    ) AS nearby WHERE seq = ${seq - 1}
    LIMIT 1`.execute(db);
  return rows[0]?.lineage_hash ?? null;
}

export function readEvent(db: Db, id: string): Promise<EventRow | undefined> {
  return db.selectFrom('events').select(eventColumns).where('id', '=', id).executeTakeFirst();
}
