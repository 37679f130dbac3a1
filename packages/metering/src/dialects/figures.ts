import { maxTokens, mostCharged } from '@agp/catalogue';
import { asName, asObject, type JsonObject } from '../json/members.ts';

/** What an answer says beside usage. */
export interface FigureNotes {
  /** What the provider says it charged, in nano-dollars. */
  charge?: number | undefined;
  /** Figures that no table knows, by their path; names are the provider's. */
  unread?: readonly string[] | undefined;
  /** The provider's ids of what code ran in, which `codeExecutions` counts. */
  containers?: ReadonlySet<string> | undefined;
}

/**
 * The members of an object of figures, each with what it counts, once: reading takes them by it, and what it does not know is unread. Names
 * stand for one another, separated by spaces; of figures under several names the largest counts, of objects the first that is there.
 */
export interface FigureTable {
  readonly rows: ReadonlyMap<string, Row>;
  /** Items of a list say in a member what they count. */
  readonly keyed?: { member: string; figures: ReadonlyMap<string, string>; isComplete: boolean };
  /** Its figures are no part of those around it. */
  readonly isApart?: boolean;
  /** Some servers write figures as text. */
  readonly readsText?: boolean;
}

interface Row {
  /** Null for one that bills nothing. */
  figure: string | null;
  /** The figures of an object, or of the objects of a list; null for one that passes unread. */
  within: FigureTable | null;
  /** Names that come before it. */
  before: readonly string[];
}

/** A figure of a table that bills nothing, such as a time, a speed, or a sum of others. */
const nothing = 'nothing';

const split = (names: string) => names.trim().split(/\s+/);

/** @param within objects and lists of objects; `passed` for those in which nothing bills */
export function tableFigures(
  figures: Readonly<Record<string, string>>,
  within: Readonly<Record<string, FigureTable | 'passed'>> = {},
  readsText = false,
): FigureTable {
  const own = Object.entries(figures).flatMap(([figure, names]) =>
    split(names).map((name): [string, Row] => [
      name,
      { figure: figure === nothing ? null : figure, within: nothingKnown, before: [] },
    ]),
  );
  const inner = Object.entries(within).flatMap(([names, table]) =>
    split(names).map((name, at, all): [string, Row] => [
      name,
      { figure: null, within: table === 'passed' ? null : table, before: all.slice(0, at) },
    ]),
  );
  const known = new Map(own);
  // A name may be a figure at one server and an object at another.
  for (const [name, row] of inner) known.set(name, { ...row, figure: known.get(name)?.figure ?? null });
  return { rows: known, readsText };
}

/** @param isComplete a kind that is not listed is unread */
export function tableKeyed(
  member: string,
  count: string,
  figures: Readonly<Record<string, string>>,
  isComplete = false,
): FigureTable {
  return { ...tableFigures({ count }), keyed: { member, figures: new Map(Object.entries(figures)), isComplete } };
}

const nothingKnown: FigureTable = { rows: new Map() };

/** Names of one answer. */
const maxUnread = 20;
/** A longer one is `other`. */
const maxPath = 128;
/** Lists count too. */
const maxDepth = 10;
const maxItems = 1_000;

const figure = /^-?\d{1,15}(?:\.\d{1,15})?$/;

function isFigure(value: unknown): boolean {
  if (typeof value === 'number') return value !== 0;
  return typeof value === 'string' && figure.test(value) && Number(value) !== 0;
}

const isFault = (value: unknown) => typeof value === 'number' && !(value >= 0 && value <= Number.MAX_SAFE_INTEGER);

function add(found: string[] | undefined, given: string): string[] {
  const path = given.length > maxPath ? 'other' : given;
  if (found === undefined) return [path];
  if (found.length < maxUnread && !found.includes(path)) found.push(path);
  return found;
}

export function joinUnread(known: readonly string[] | undefined, more: readonly string[] | undefined) {
  return more ? more.reduce<string[] | undefined>(add, known && [...known]) : known;
}

/** Figures by the names of their table; NaN for one that no figure can be. */
export type Counts = Readonly<Record<string, number | undefined>>;

type Sink = Record<string, number | undefined>;

const written = /^\d{1,12}(?:\.\d{1,12})?$/;

export function asFigure(value: unknown): unknown {
  return typeof value === 'string' && written.test(value) ? Number(value) : value;
}

const toCount = (value: unknown): number =>
  typeof value === 'number' && value >= 0 && value <= maxTokens ? value : Number.NaN;

class FigureReader {
  readonly counts: Sink = {};
  unread: string[] | undefined;
  readonly #readsText: boolean;

  constructor(readsText: boolean) {
    this.#readsText = readsText;
  }

  /** @param sink null for figures that are no part of those around them, or repeat others */
  read(value: unknown, table: FigureTable, sink: Sink | null, path = '', depth = 1): void {
    if (Array.isArray(value)) {
      for (let at = 0; at < value.length && at < maxItems; at++) {
        if (isFigure(value[at])) this.unread = add(this.unread, path);
        else if (depth < maxDepth) this.read(value[at], table, sink, path, depth + 1);
      }
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    const object = value as JsonObject;
    const own = table.keyed ? {} : sink;
    for (const name in object) {
      const member = object[name];
      if (member === undefined || member === null) continue;
      const row = table.rows.get(name);
      if (typeof member === 'object') {
        if (row?.within === null || depth >= maxDepth) continue;
        const within = row?.within ?? nothingKnown;
        const isRead = !within.isApart && !row?.before.some((other) => object[other] != null);
        this.read(member, within, isRead ? sink : null, path === '' ? name : `${path}.${name}`, depth + 1);
      } else if (row === undefined ? isFigure(member) : isFault(member)) {
        this.unread = add(this.unread, path === '' ? name : `${path}.${name}`);
      }
      if (row?.figure && own !== null) this.#note(own, row.figure, member);
    }
    if (table.keyed) this.#addKeyed(table.keyed, object, own?.count, sink, path);
  }

  #note(sink: Sink, name: string, value: unknown): void {
    const count = toCount(this.#readsText ? asFigure(value) : value);
    const known = sink[name];
    if (known === undefined || Number.isNaN(known) || count > known) sink[name] = count;
  }

  #addKeyed(
    { member, figures, isComplete }: NonNullable<FigureTable['keyed']>,
    item: JsonObject,
    count: number | undefined,
    sink: Sink | null,
    path: string,
  ): void {
    const kind = asName(item[member]);
    const name = figures.get(kind.toUpperCase()) ?? figures.get(kind);
    if (name === undefined && isComplete) this.unread = add(this.unread, `${path}.${kind}`);
    if (name !== undefined && name !== nothing && sink !== null) sink[name] = (sink[name] ?? 0) + (count || 0);
  }
}

const isAmount = (value: unknown): value is number => typeof value === 'number' && value >= 0;

/**
 * xAI counts in ticks: a dollar has ten thousand million. OpenRouter's cost leaves out what a caller's own key was
 * charged, and Perplexity's is a list with its sum.
 */
function readCharge({ cost, cost_in_usd_ticks: ticks, is_byok: isOwnKey, cost_details: details }: JsonObject) {
  if (isAmount(ticks)) return ticks / 10;
  const usd = typeof cost === 'object' ? asObject(cost).total_cost : cost;
  if (!isAmount(usd)) return undefined;
  const upstream = isOwnKey === true ? asObject(details).upstream_inference_cost : 0;
  return (usd + (isAmount(upstream) ? upstream : 0)) * 1e9;
}

/** Takes the figures of a usage object: by name what its table knows, as unread what it does not. Zero is no unread figure. */
export function readFigures(value: unknown, table: FigureTable): { counts: Counts; notes: FigureNotes } {
  const reader = new FigureReader(table.readsText === true);
  reader.read(value, table, reader.counts);
  const charge = readCharge(asObject(value));
  const isFree = charge === undefined || charge <= mostCharged;
  const unread = isFree ? reader.unread : joinUnread(reader.unread, ['cost']);
  return { counts: reader.counts, notes: isFree ? { charge, unread } : { unread } };
}
