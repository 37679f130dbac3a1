import { outcomeNames } from '@agp/core/contracts';
import type { EventMessage } from '@agp/core/events';
import { type SelectQueryBuilder, sql } from 'kysely';
import type { Db } from '../../database.ts';
import type { Schema } from '../../schema.ts';
import { firstIdAt, type Page, type RequestFilter } from '../pages/page-of-requests.ts';
import { listPartitions } from '../partitions/list-partitions.ts';
import { type EventExtras, type EventRow, eventColumns, nameOfAgent } from './event-columns.ts';
import { type IdRange, splitByRecording, splitByWeeks } from './split-range.ts';

export interface EventFilter extends RequestFilter {
  sessionId?: string | undefined;
  recordedAfter?: Date | undefined;
  model?: string | undefined;
  provider?: string | undefined;
  complianceTag?: string | undefined;
  piiDetected?: boolean | undefined;
  piiType?: string | undefined;
  outcome?: NonNullable<EventMessage['outcome']> | undefined;
  /** Only those that failed, or were answered with 4xx or 5xx. */
  failed?: boolean | undefined;
  /** The lowest and the highest. */
  httpStatus?: { from: number; to: number } | undefined;
  requestId?: string | undefined;
  providerRequestId?: string | undefined;
  /** Only events that come after this one in the list. */
  cursor?: string | undefined;
}

type Query = SelectQueryBuilder<Schema, 'events', EventRow>;

function selectMatching(db: Db, filter: EventFilter, withOutcomes: boolean): Query {
  const columns = [...eventColumns, ...(withOutcomes ? outcomeNames : [])];
  let query = db.selectFrom('events').select(columns) as unknown as Query;
  if (filter.agentId !== undefined) query = query.where('agent_id', '=', filter.agentId);
  if (filter.sessionId !== undefined) query = query.where('session_id', '=', filter.sessionId);
  if (filter.recordedAfter !== undefined) query = query.where('recorded_at', '>', filter.recordedAfter);
  if (filter.model !== undefined) query = query.where('model', '=', filter.model);
  if (filter.provider !== undefined) query = query.where('provider', '=', filter.provider);
  if (filter.complianceTag !== undefined) query = query.where('compliance_tag', '=', filter.complianceTag);
  if (filter.piiDetected !== undefined) query = query.where('pii_detected', '=', filter.piiDetected);
  // The index of findings holds those that were detected.
  if (filter.piiType !== undefined)
    query = query.where('pii_detected', '=', true).where(sql<boolean>`${filter.piiType} = ANY(pii_types)`);
  if (filter.outcome !== undefined) query = query.where('outcome', '=', filter.outcome);
  if (filter.httpStatus !== undefined)
    query = query.where('http_status', '>=', filter.httpStatus.from).where('http_status', '<=', filter.httpStatus.to);
  if (filter.requestId !== undefined) query = query.where('request_id', '=', filter.requestId);
  if (filter.providerRequestId !== undefined) query = query.where('provider_request_id', '=', filter.providerRequestId);
  return query;
}

/** Those that failed and those answered with an error are read apart: each has an index. */
function splitByEnding(query: Query, { failed }: EventFilter): Query[] {
  if (!failed) return [query];
  return [
    query.where('outcome', '=', 'failed'),
    query.where('outcome', '=', 'completed').where('http_status', '>=', 400),
  ];
}

function inRange(query: Query, { from, to }: IdRange): Query {
  const since = from === undefined ? query : query.where('id', '>=', from);
  return to === undefined ? since : since.where('id', '<', to);
}

let known: { weeks: IdRange | null; at: number } | null = null;
const keptMs = 60_000;

/** Where the weeks begin and end. They change with maintenance, a list is right with old ones too, and to read them takes longer than it. */
async function findWeeks(db: Db): Promise<IdRange | null> {
  if (known !== null && performance.now() - known.at < keptMs) return known.weeks;
  const partitions = await listPartitions(db);
  const weeks = partitions.length === 0 ? null : { from: partitions[0]?.from, to: partitions.at(-1)?.to };
  known = { weeks, at: performance.now() };
  return weeks;
}

/**
 * One page of events, newest first. An id holds the millisecond of its event's timestamp, so times are ranges of the
 * primary key and order by id is order by timestamp.
 */
export async function listEvents(
  db: Db,
  filter: EventFilter,
  page: Page,
  { withNames = false, withOutcomes = false }: EventExtras = {},
): Promise<EventRow[]> {
  const weeks = await findWeeks(db);
  const ends = [filter.to && firstIdAt(filter.to), filter.cursor].filter((end) => end !== undefined);
  const asked = { from: filter.from && firstIdAt(filter.from), to: ends.sort()[0] };
  const endings = splitByEnding(selectMatching(db, filter, withOutcomes), filter);
  const read = (query: Query) => query.orderBy('id', 'desc').limit(page.limit + page.offset);

  const { recent, late } =
    filter.recordedAfter === undefined ? { recent: asked, late: null } : splitByRecording(asked, filter.recordedAfter);
  const parts = (recent === null ? [] : splitByWeeks(recent, weeks)).flatMap((part) =>
    endings.map((matching) => read(inRange(matching, part))),
  );
  if (late !== null) {
    const isLate = sql<boolean>`recorded_at - "timestamp" > interval '10 minutes'`;
    // OFFSET 0 keeps Postgres from reading in the order of ids, which is right only where many match.
    const found = endings.map((matching) => inRange(matching, late).where(isLate).offset(0));
    parts.push(...found.map((each) => read(db.selectFrom(each.as('events')).selectAll() as unknown as Query)));
  }
  const [first, ...others] = parts.map((part) => db.selectFrom(part.as('part')).selectAll());
  if (first === undefined) return [];
  const all = others.reduce((union, part) => union.unionAll(part), first);
  return await db
    .selectFrom(all.as('found'))
    .selectAll()
    .$if(withNames, (query) => query.select(nameOfAgent('found.agent_id')))
    .orderBy('id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
}
