import { mostCharged } from '@agp/pricing';
import { asObject, type JsonObject } from '../json/members.ts';

/** Members of usage that are read or are known to bill nothing, with those of objects and of lists within; `all` of some. */
export type KnownFigures = ReadonlyMap<string, KnownFigures | 'all' | null>;

/** What an answer says beside usage. */
export interface FigureNotes {
  /** What the provider says it charged, in nano-dollars. */
  charge?: number | undefined;
  /** Figures that no reader understood, by their path; names are the provider's. */
  unread?: readonly string[] | undefined;
  /** The provider's ids of what code ran in, which `codeExecutions` counts. */
  containers?: ReadonlySet<string> | undefined;
}

/** @param names separated by spaces @param within lists of objects, under their names, also several separated by spaces */
export function listFigures(names: string, within: Readonly<Record<string, KnownFigures | 'all'>> = {}): KnownFigures {
  const lists = [[names, null], ...Object.entries(within)] as const;
  return new Map(
    lists.flatMap(([some, list]) =>
      some
        .trim()
        .split(/\s+/)
        .map((name) => [name, list] as const),
    ),
  );
}

const nothingKnown: KnownFigures = new Map();

/** Names of one answer. */
const maxUnread = 20;
/** A longer one is `other`. */
const maxPath = 128;
/** Lists count too. */
const maxDepth = 10;
const maxItems = 1_000;

/** Some servers write figures as text. */
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

function findWithin(
  value: unknown,
  known: KnownFigures,
  path: string,
  depth: number,
  found?: string[],
): string[] | undefined {
  let names = found;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && at < maxItems; at++) {
      if (isFigure(value[at])) names = add(names, path);
      else if (depth < maxDepth) names = findWithin(value[at], known, path, depth + 1, names);
    }
    return names;
  }
  const members = asObject(value);
  for (const name in members) {
    const member = members[name];
    const rule = known.get(name);
    if (typeof member === 'object' && member !== null) {
      if (rule === 'all' || depth >= maxDepth) continue;
      const whole = path === '' ? name : `${path}.${name}`;
      names = findWithin(member, rule ?? nothingKnown, whole, depth + 1, names);
    } else if (rule === undefined ? isFigure(member) : isFault(member)) {
      names = add(names, path === '' ? name : `${path}.${name}`);
    }
  }
  return names;
}

/** Figures of a usage object that are not known, or that no figure can be; undefined for most. Zero is no figure. */
export function findUnread(value: unknown, known: KnownFigures): readonly string[] | undefined {
  return findWithin(value, known, '', 1);
}

const isAmount = (value: unknown): value is number => typeof value === 'number' && value >= 0;

/**
 * xAI counts in ticks, of which a dollar has ten thousand million. OpenRouter's cost leaves out what a caller's own key was
 * charged, and Perplexity's is a list with its sum.
 */
export function readCharge({ cost, cost_in_usd_ticks: ticks, is_byok: isOwnKey, cost_details: details }: JsonObject) {
  if (isAmount(ticks)) return ticks / 10;
  const usd = typeof cost === 'object' ? asObject(cost).total_cost : cost;
  if (!isAmount(usd)) return undefined;
  const upstream = isOwnKey === true ? asObject(details).upstream_inference_cost : 0;
  return (usd + (isAmount(upstream) ? upstream : 0)) * 1e9;
}

export function noteFigures(value: unknown, known: KnownFigures): FigureNotes {
  const charge = readCharge(asObject(value));
  const unread = findUnread(value, known);
  return charge !== undefined && charge > mostCharged ? { unread: joinUnread(unread, ['cost']) } : { charge, unread };
}
