import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type EventListQuery, mostCounted, outcomeNames } from '@agp/core/contracts';
import { writeCsvLine } from '@agp/core/csv';
import { lacksPrice } from '@agp/core/explain';
import { toPublicId, uuidOf } from '@agp/core/ids';
import {
  countEvents,
  type Db,
  type EventFilter,
  type EventRow,
  listEvents,
  listUnpricedModels,
  readKeptSince,
} from '@agp/db';
import { endTurn } from '@agp/runtime';
import type { Request, Response } from 'express';
import { z } from 'zod';
import type { Route } from './define-route.ts';
import { readerSilenceMs } from './limits.ts';
import { writeJson } from './presenters.ts';
import { readPiiType } from './requests.ts';

/** For an answer that is being written, not one that is still looked up. */
export function giveUpSilentReader(response: Response): void {
  response.setTimeout(readerSilenceMs, () => response.destroy());
}

/** Columns of what tokens cost. */
const costs: readonly string[] = ['cost_usd', 'total_cost_usd', 'avg_cost_per_request_usd', 'expected_cost_usd'];

interface CsvTable {
  name: string;
  columns: readonly string[];
  unpriced: Awaited<ReturnType<typeof listUnpricedModels>>;
}

function listColumns(schema: z.ZodType | undefined): string[] {
  const row = schema instanceof z.ZodArray ? schema.element : schema;
  if (!(row instanceof z.ZodObject)) return [];
  return Object.entries(row.shape).flatMap(([name, member]) => (member instanceof z.ZodOptional ? [] : name));
}

/** If `Accept` has CSV and JSON in one rank, or neither, JSON is sent. */
export async function chooseFormat(
  { answer }: Route,
  { request, query }: { request: Request; query: unknown },
  response: Response,
  db: Db,
): Promise<void> {
  if (answer.csv === undefined) return;
  response.vary('Accept');
  if (request.accepts(['application/json', 'text/csv']) !== 'text/csv') return;
  const { name, columns } = answer.csv;
  const listed = columns?.(query) ?? listColumns(answer.schema);
  const unpriced = listed.some((column) => costs.includes(column)) ? await listUnpricedModels(db) : [];
  response.locals.csv = { name, columns: listed, unpriced } satisfies CsvTable;
}

export function csvOf(response: Response): CsvTable | undefined {
  return response.locals.csv as CsvTable | undefined;
}

/** @param wantedBy columns that are there only if `expand` has a word */
export const makeCsv = (name: string, row: z.ZodObject, wantedBy: Readonly<Record<string, string>>) => ({
  name,
  columns(query: unknown): string[] {
    const expand = (query as { expand?: string }).expand?.split(',') ?? [];
    return Object.keys(row.shape).filter((each) => wantedBy[each] === undefined || expand.includes(wantedBy[each]));
  },
});

export const makeEventsCsv = (row: z.ZodObject) =>
  makeCsv('events', row, {
    agent_name: 'agent',
    ...Object.fromEntries(outcomeNames.map((name) => [name, 'outcome'])),
  });

/** Costs of tokens without a price are `no price`, which no sum takes for free. */
function listCells(row: Record<string, unknown>, { columns, unpriced }: CsvTable): unknown[] {
  const { model, prompt_tokens = 0, completion_tokens = 0 } = row as Partial<EventRow>;
  const tokens = Number(row.total_tokens ?? prompt_tokens + completion_tokens);
  return columns.map((column) =>
    costs.includes(column) && lacksPrice({ usd: Number(row[column]), tokens, model }, unpriced)
      ? 'no price'
      : row[column],
  );
}

interface Framing {
  before: string;
  after: string;
}

interface Writer extends Framing {
  between: string;
  write: (rows: readonly object[]) => string;
}

function beginRows(response: Response, framing: Framing): Writer {
  const csv = csvOf(response);
  if (csv === undefined) {
    response.type('json');
    return { ...framing, between: ',', write: (rows) => rows.map(writeJson).join(',') };
  }
  const { name, columns } = csv;
  response.attachment(`${name}.csv`).type('text/csv; charset=utf-8');
  const write = (rows: readonly object[]) =>
    rows.map((row) => writeCsvLine(listCells(row as Record<string, unknown>, csv))).join('');
  return { before: writeCsvLine(columns), between: '', after: '', write };
}

const brackets: Framing = { before: '[', after: ']' };

/** An object whose last member is the list. */
export function frameList(head: object, list: string): Framing {
  const whole = writeJson({ ...head, [list]: [] });
  return { before: whole.slice(0, -']}'.length), after: ']}' };
}

export function sendRows(response: Response, rows: readonly object[]): void {
  const { before, write, after } = beginRows(response, brackets);
  response.send(before + write(rows) + after);
}

/** Sends what a route gave, an entry a step if it is a list. */
export async function sendJson(response: Response, body: object): Promise<void> {
  response.type('json');
  if (!Array.isArray(body)) return void response.send(writeJson(body));
  const entries: string[] = [];
  for (const entry of body) {
    entries.push(writeJson(entry));
    await endTurn();
  }
  response.send(`[${entries.join()}]`);
}

/**
 * Sends a list of any length as JSON or CSV, at its reader's pace and with one page in memory. If the first page cannot be read, it fails
 * before anything is sent; later the connection breaks off. `framing` is the text around the entries in JSON.
 */
export async function replyWithList<Row>(
  response: Response,
  pages: AsyncGenerator<Row[]>,
  present: (row: Row) => object,
  framing: Framing = brackets,
): Promise<void> {
  const first = await pages.next();
  const { before, between, after, write } = beginRows(response, framing);
  async function* writeAll(): AsyncGenerator<string> {
    let lead = before;
    for (let page = first; !page.done; page = await pages.next()) {
      yield lead + write(page.value.map(present));
      lead = between;
    }
    yield lead === before ? before + after : after;
  }
  giveUpSilentReader(response);
  await pipeline(Readable.from(writeAll()), response);
}

interface PageQuery {
  limit: number;
  from?: Date | undefined;
  to?: Date | undefined;
  recorded_after?: Date | undefined;
}

const times = ['from', 'to', 'recorded_after'] as const;

/** The same query from another place on, and times that do not move while pages are read. */
export function writeNextLink(
  request: Request,
  query: PageQuery,
  [member, place]: ['cursor' | 'offset', string],
): string {
  const url = new URL(request.originalUrl, 'http://localhost');
  url.searchParams.delete('offset');
  for (const name of times) if (query[name]) url.searchParams.set(name, query[name].toISOString());
  url.searchParams.set(member, place);
  return `<${url.pathname}${url.search}>; rel="next"`;
}

/** What a list of events is to have beside its own columns. */
export const readExpand = (expand = '') => ({
  withNames: expand.includes('agent'),
  withOutcomes: expand.includes('outcome'),
});

/**
 * Sends one page of a list, with a `Link` header while there is a next one; `rows` has one more than the page has room for if there are
 * more.
 */
export function replyWithPage<Row>(
  { request, query }: { request: Request; query: PageQuery },
  response: Response,
  rows: readonly Row[],
  present: (row: Row) => object,
  cursorOf: (row: Row) => string,
): void {
  const page = rows.slice(0, query.limit);
  const last = page.at(-1);
  if (rows.length > page.length && last !== undefined)
    response.set('Link', writeNextLink(request, query, ['cursor', cursorOf(last)]));
  sendRows(response, page.map(present));
}

/** @param count null if it took too long to count */
export function sayTotal(response: Response, count: number | null): void {
  if (count !== null) response.set('X-Total', count > mostCounted ? `>${mostCounted}` : String(count));
}

type EventPage = Omit<EventListQuery, 'agent_id' | 'session_id'>;

export async function replyWithEvents(
  input: { request: Request; query: EventPage },
  response: Response,
  db: Db,
  owner: Pick<EventFilter, 'agentId' | 'sessionId'>,
  present: (row: EventRow) => object,
): Promise<void> {
  const { query } = input;
  const { policy, rule, decision: action } = query;
  // A whole export begins before it too.
  if (query.from !== undefined || csvOf(response) !== undefined) {
    const kept = await readKeptSince(db);
    if (kept !== null && (query.from ?? 0) < kept) response.set('X-Kept-Since', kept.toISOString());
  }
  const filter: EventFilter = {
    ...owner,
    from: query.from,
    to: query.to,
    recordedAfter: query.recorded_after,
    model: query.model,
    provider: query.provider,
    complianceTag: query.compliance_tag,
    label: query.label,
    piiDetected: query.pii_detected,
    piiType: readPiiType(query.pii_type),
    outcome: query.outcome,
    failed: query.failed === 'true',
    httpStatus: query.http_status,
    decided: [policy, rule, action].every((each) => each === undefined) ? undefined : { policy, rule, action },
    requestId: query.request_id,
    providerRequestId: query.provider_request_id,
    cursor: query.cursor && uuidOf('evt', query.cursor),
  };
  const [rows, count] = await Promise.all([
    // One more than is shown, to know if there is a next page.
    listEvents(db, filter, { limit: query.limit + 1, offset: query.offset }, readExpand(query.expand)),
    query.total ? countEvents(db, filter) : null,
  ]);
  sayTotal(response, count);
  replyWithPage(input, response, rows, present, ({ id }) => toPublicId('evt', id));
}
