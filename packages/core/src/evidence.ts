import type { z } from 'zod';
import {
  eventListQuerySchema,
  lineageRemovalsSchema,
  lineageSchema,
  listedEventListSchema,
  maxPageSize,
  sessionListSchema,
} from './contracts/index.ts';
import { writeCsvLine } from './csv.ts';
import { listFields, sessionIdPattern } from './events/index.ts';
import { countOf } from './explain/index.ts';
import { toLineText } from './text.ts';

/** The scripts that check what they lie beside, in docs/lineage. */
export const verifiers = ['verify-lineage.mjs', 'verify-evidence.mjs'] as const;

/** What the chains cover, so that each cell can be checked. */
const columns = [
  ...listFields({ in: 'chain', shown: 'event' }).map((name) => (name === 'cost_nano_usd' ? 'cost_usd' : name)),
  ...listFields({ in: 'chain', shown: 'outcome' }),
  'lineage_hash',
];

/** Chains that are read at once. */
const atOnce = 4;

interface Page<Data> {
  data: Data;
  /** As it came. */
  text: string;
  /** Path of the next page; null on the last. */
  next: string | null;
  /** Since when events are kept, if what was asked for begins before. */
  keptSince: string | null;
}

/** Reads the management API: `agp` with a key, the console in its session. */
export interface EvidenceApi {
  /** @throws Error with the `status` of an answer that is no success */
  get<Data>(
    path: string,
    schema: z.ZodType<Data>,
    query?: Readonly<Record<string, string | number | undefined>>,
  ): Promise<Page<Data>>;
}

/** From when to when in times that do not move, UTC in ISO 8601: whoever checks the evidence knows what it has to hold. */
export const evidenceRangeSchema = eventListQuerySchema.transform(({ from, to }) => ({
  from: from?.toISOString(),
  to: to?.toISOString(),
}));

/** Whose evidence is gathered, and of when. */
export interface EvidenceOf extends z.output<typeof evidenceRangeSchema> {
  /** Null for all agents that the reader may see. */
  agents: readonly { id: string; name: string }[] | null;
  /** By which they were chosen, if by one. */
  label?: string | undefined;
}

/** How far it is gathered. */
export interface EvidenceTally {
  events: number;
  /** Those that are known so far. */
  sessions: number;
  /** Sessions whose chain is read. */
  chains: number;
  /** Events of these sessions that retention removed. */
  removed: number;
}

/** Text that goes on where the piece before it with the same path ended. */
export interface EvidencePiece {
  path: string;
  text: string;
  tally: EvidenceTally;
}

async function* readPages<Row>(api: EvidenceApi, ...[path, schema, query]: Parameters<typeof api.get<Row[]>>) {
  let page = await api.get(path, schema, query);
  yield page;
  while (page.next !== null) {
    page = await api.get(page.next, schema);
    yield page;
  }
}

/** Sessions of the range, of which retention may have left nothing but the last hash. */
async function listRemoved(
  api: EvidenceApi,
  agent_id: string | undefined,
  { from, to }: EvidenceOf,
  keptSince: string,
) {
  const before = [to, keptSince].filter((time) => time !== undefined).sort()[0];
  const ids: string[] = [];
  try {
    const query = { agent_id, to: before, limit: maxPageSize };
    for await (const { data } of readPages(api, '/api/v1/sessions', sessionListSchema, query))
      for (const { id, ended_at } of data) if (from === undefined || ended_at >= from) ids.push(id);
  } catch (error) {
    // The base edition has no list: what is left of a session then names it.
    if (!(error instanceof Error && 'status' in error && error.status === 404)) throw error;
  }
  return ids;
}

/** The server is not trusted: an id becomes the name of a file. @throws Error for any other id */
function assureSessionId(id: string): string {
  if (!sessionIdPattern.test(id))
    throw new Error(`the server names a session ${toLineText(id, 80)}, which is no id of one`);
  return id;
}

async function readChain(api: EvidenceApi, id: string) {
  const chain = await api.get(`/api/v1/lineage/${id}`, lineageSchema);
  const { data, text } = await api.get(`/api/v1/lineage/${id}/removed`, lineageRemovalsSchema);
  const removed = data.removed.reduce((sum, { first_seq, last_seq }) => sum + last_seq - first_seq + 1, 0);
  return { id, removed, text: `${chain.text}\n${text}\n` };
}

/** What is read of each item, in their order, a few ahead. */
async function* readAhead<Item, Result>(items: Iterable<Item>, read: (item: Item) => Promise<Result>) {
  const begun: Promise<Result>[] = [];
  for (const item of items) {
    const reading = read(item);
    // Its fault is told when its turn comes.
    reading.catch(() => undefined);
    begun.push(reading);
    if (begun.length === atOnce) yield (await begun.shift()) as Result;
  }
  for (const reading of begun) yield await reading;
}

/**
 * All files of the evidence, file after file, for somebody who checks it without trusting this installation: events, chains, an index and
 * the scripts. It ends before the index if the range has no event, neither kept nor removed.
 *
 * @param readScript gives the text of a verifier
 */
export async function* gatherEvidence(
  api: EvidenceApi,
  of: EvidenceOf,
  readScript: (name: (typeof verifiers)[number]) => string,
): AsyncGenerator<EvidencePiece> {
  const { agents, label, from, to } = of;
  const sessions = new Set<string>();
  let [events, chains, removed] = [0, 0, 0];
  let kept_since: string | null = null;
  const piece = (path: string, text: string): EvidencePiece => {
    return { path, text, tally: { events, sessions: sessions.size, chains, removed } };
  };
  yield piece('events.csv', writeCsvLine(columns));
  for (const agent_id of agents?.map(({ id }) => id) ?? [undefined]) {
    const query = { agent_id, from, to, limit: maxPageSize, expand: 'outcome' };
    for await (const { data, keptSince } of readPages(api, '/api/v1/events', listedEventListSchema, query)) {
      kept_since ??= keptSince;
      events += data.length;
      for (const { session_id } of data) sessions.add(assureSessionId(session_id));
      const rows: Record<string, unknown>[] = data;
      yield piece('events.csv', rows.map((event) => writeCsvLine(columns.map((name) => event[name]))).join(''));
    }
    if (kept_since !== null)
      for (const id of await listRemoved(api, agent_id, of, kept_since)) sessions.add(assureSessionId(id));
  }
  for await (const chain of readAhead(sessions, (id) => readChain(api, id))) {
    chains += 1;
    if (kept_since !== null) removed += chain.removed;
    yield piece(`sessions/${chain.id}.json`, chain.text);
  }
  if (events + removed === 0) return;
  const index = { agents, label, from, to, kept_since, events, sessions: [...sessions] };
  yield piece('evidence.json', `${JSON.stringify(index, null, 2)}\n`);
  for (const name of verifiers) yield piece(name, readScript(name));
}

/** What was gathered, as people are told: `2 events of 2 sessions`, and what retention took. */
export function tellEvidence({ events, sessions, removed }: EvidenceTally): string {
  const gone = removed === 0 ? '' : `; of these sessions retention removed ${countOf(removed, 'event')} for their age`;
  return `${countOf(events, 'event')} of ${countOf(sessions, 'session')}${gone}`;
}
