import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { hidesModel } from '@agp/core/bedrock';
import { complianceTagPattern } from '@agp/core/events';
import { splitLabelOf } from '@agp/core/labels';
import { isModelListed, prepareLists, selects } from '@agp/documents';
import { type BudgetDefinition, budgetSchema, steps, type Unit } from './schema.ts';
import { findWindow, never, type Window } from './windows.ts';

/** A budget as storage has it: what requests are held to is `active`, until what `budget` counts is summed up. */
export interface BudgetRow {
  /** UUID */
  id: string;
  budget: unknown;
  /** Raised whenever what it counts is another: its usage is then kept apart from that before. */
  epoch: number;
  active: unknown;
  activeEpoch: number | null;
}

/** What a budget counts and allows, apart from what it did before. */
export interface Definition {
  id: string;
  epoch: number;
  budget: BudgetDefinition;
}

/** All budgets of an installation at one version, made ready once. */
export interface BudgetSet {
  version: number;
  budgets: readonly Definition[];
  bySession: boolean;
  /** One of them counts some models alone. */
  byModel: boolean;
  readonly known: Map<string, Charges>;
  /** Places that `known` holds. */
  knownPlaces: number;
}

/** What decides which budgets a request counts in. */
export interface ChargedCall {
  agentId: string;
  agent: string;
  labels: Readonly<Record<string, string>>;
  tag: string;
  provider: string;
  /** All that it names, or that answered; null while they are not known, and then each may. */
  models: readonly string[] | null;
  sessionId: string;
}

/** What a request takes its share of. */
interface Limit {
  unit: Unit;
  /** In whole steps of the unit: nano-dollars, tokens or requests. */
  limit: number;
  /** Or else it only warns. */
  refuses: boolean;
}

/** A budget of the UTC day, of one agent or of all, that has no name; infinite if none is set. */
export interface DailyCap extends Limit {
  kind: 'agent' | 'global';
}

export type DailyCaps = readonly [ofAgent: DailyCap, ofAll: DailyCap];

/** A request's place in one budget. */
export interface Charge extends Limit {
  kind: 'budget';
  stored: Definition;
  /** The agent, session or value that it is split by; empty if it is not. */
  key: string;
  window: Window;
  /** Names budget, unit, key and window; 22 letters, digits, - and _. */
  scope: string;
}

/** Of equal requests within the same windows: one object, by which they are told as equal. */
export interface Charges {
  /** First those in USD, then those in tokens, then those in requests. */
  all: readonly Charge[];
  /** Their scopes: commas between those of a unit, semicolons between the units. */
  scopes: string;
  countsTokens: boolean;
  /** One of them refuses what would pass an amount of money or tokens. */
  boundsCost: boolean;
  /** Milliseconds since 1970: until a window ends. */
  from: number;
  to: number;
}

/** Beyond it, all are forgotten: some 50 MB. */
const mostKnownPlaces = 200_000;
/** Longer names of requests are remembered by their digest: an agent chooses them. */
const maxName = 256;
const maxKey = 128;

/** Null if this version cannot read it. */
function parse(id: string, epoch: number, given: unknown): Definition | null {
  const { data: budget } = budgetSchema.safeParse(given);
  if (budget === undefined) return null;
  prepareLists(budget.match);
  return { id, epoch, budget };
}

function gather(version: number, budgets: Definition[]): BudgetSet {
  const bySession = budgets.some(({ budget }) => budget.split_by === 'session');
  const byModel = budgets.some(({ budget }) => budget.match.models !== undefined);
  return { version, budgets, bySession, byModel, known: new Map(), knownPlaces: 0 };
}

/** What requests are held to, or are warned by. @throws TypeError naming a budget that this version cannot read */
export function prepareHeld(version: number, rows: readonly BudgetRow[]): BudgetSet {
  const held = rows.flatMap(({ id, active, activeEpoch }) => {
    if (activeEpoch === null) return [];
    const read = parse(id, activeEpoch, active);
    if (read === null) throw new TypeError(`budget ${(active as { name?: unknown }).name}: it cannot be read`);
    return read.budget.on_exceeded === 'observe' ? [] : [read];
  });
  return gather(version, held);
}

/** All that is counted: what requests are held to, and what takes its place. One that cannot be read refuses requests, and counts none. */
export function prepareCounted(version: number, rows: readonly BudgetRow[]): BudgetSet {
  const counted = rows.flatMap(({ id, epoch, budget, active, activeEpoch }) => [
    parse(id, epoch, budget),
    activeEpoch === null || activeEpoch === epoch ? null : parse(id, activeEpoch, active),
  ]);
  return gather(
    version,
    counted.filter((each) => each !== null),
  );
}

const sha256 = (text: string, encoding: 'hex' | 'base64url') => createHash('sha256').update(text).digest(encoding);

/** The tag of an agent's requests that name none. */
export function tagOf({ compliance_tag: tag }: Readonly<Record<string, unknown>>): string {
  return typeof tag === 'string' && complianceTagPattern.test(tag) ? tag : 'default';
}

/** Long values are told apart by their digest. */
const toKey = (value: string) =>
  value.length <= maxKey ? value : `${value.slice(0, maxKey / 2)}#${sha256(value, 'hex')}`;

/** Whom a call counts for in a split budget; null if it does not count. */
function findKey(split: string, call: ChargedCall): string | null {
  const label = splitLabelOf(split);
  if (label !== null) return Object.hasOwn(call.labels, label) ? toKey(call.labels[label] as string) : null;
  return { agent: call.agentId, session: call.sessionId }[split] ?? '';
}

function matches({ match: { models, ...selector } }: BudgetDefinition, call: ChargedCall): boolean {
  if (!selects(selector, call)) return false;
  if (models === undefined || call.models === null) return true;
  // An agent may ask by an alias for what the budget names with its version.
  const isNamed = (model: string) =>
    isModelListed(models, model) || models.some((each) => isModelListed([model], each));
  // An ARN that hides its model may be any, unless an answer has named one.
  return call.models.some(isNamed) || (call.models.length > 0 && call.models.every(hidesModel));
}

/** The same for all definitions of a budget: what is held by one is held by the next. */
function toScope(id: string, unit: Unit, key: string, bucket: number): string {
  return sha256(JSON.stringify([id, unit, key, bucket]), 'base64url').slice(0, 22);
}

/** A place in a budget's window of a time. */
export function toCharge(stored: Definition, key: string, at: number): Charge {
  const { unit, amount, window: name, zone, on_exceeded } = stored.budget;
  const window = findWindow(name, zone, at);
  // What is reserved of a window that moves on is reserved whatever the hour.
  const scope = toScope(stored.id, unit, key, name.startsWith('rolling:') ? 0 : window.bucket);
  const limit = Math.round(amount * steps[unit]);
  return { kind: 'budget', stored, unit, limit, refuses: on_exceeded === 'refuse', key, window, scope };
}

/** @param nanoUsd null if none is set */
export const toDailyCap = (kind: DailyCap['kind'], nanoUsd: number | null, warnOnly = false): DailyCap => ({
  ...{ kind, unit: 'usd', limit: nanoUsd ?? Number.POSITIVE_INFINITY, refuses: nanoUsd !== null && !warnOnly },
});

/** Whether one of them is set. */
export const isCapped = (caps: DailyCaps): boolean => caps.some(({ limit }) => limit < Number.POSITIVE_INFINITY);

/**
 * The budgets that a request counts in. Requests that are alike share what is found, so that a request costs a look-up.
 * @param at when it arrived, in milliseconds since 1970
 */
export function findCharges(set: BudgetSet, call: ChargedCall, at: number): Charges {
  const { agentId, labels, tag, provider, models, sessionId } = call;
  const said = JSON.stringify([agentId, labels, tag, provider, models, set.bySession && sessionId]);
  const name = said.length <= maxName ? said : sha256(said, 'base64url');
  const known = set.known.get(name);
  if (known !== undefined && at >= known.from && at < known.to) return known;
  const unsorted = set.budgets.flatMap((stored) => {
    const key = matches(stored.budget, call) ? findKey(stored.budget.split_by, call) : null;
    return key === null ? [] : [toCharge(stored, key, at)];
  });
  const byUnit = (['usd', 'tokens', 'requests'] as const).map((unit) => unsorted.filter((each) => each.unit === unit));
  const all = byUnit.flat();
  const from = Math.max(0, ...all.map(({ window }) => window.bucket));
  const scopes = byUnit.map((some) => some.map(({ scope }) => scope).join()).join(';');
  const countsTokens = byUnit[1]?.length !== 0;
  const found: Charges = {
    all,
    scopes,
    countsTokens,
    boundsCost: all.some(({ refuses, unit }) => refuses && unit !== 'requests'),
    from,
    to: Math.min(never, ...all.map(({ window }) => window.to)),
  };
  set.knownPlaces += all.length + 1;
  if (set.knownPlaces > mostKnownPlaces) {
    set.known.clear();
    set.knownPlaces = all.length + 1;
  }
  if (known === undefined || found.from >= known.from) set.known.set(name, found);
  return found;
}

/** What a call adds to each, by scope, in whole steps of its unit; null if it counts in none. */
export function listAmounts({ all }: Charges, amounts: Readonly<Record<Unit, number>>): Record<string, number> | null {
  return all.length === 0 ? null : Object.fromEntries(all.map(({ scope, unit }) => [scope, amounts[unit]]));
}

const countedOf = ({ match, split_by, unit, window, zone, on_exceeded }: BudgetDefinition) => ({
  match,
  split_by,
  unit,
  window,
  zone,
  // Running requests hold nothing of what only observes.
  isHeld: on_exceeded !== 'observe',
});

/** Whether two definitions count the same, in whatever order their members stand: then only what is allowed differs. */
export const countsTheSame = (one: BudgetDefinition, other: BudgetDefinition): boolean =>
  isDeepStrictEqual(countedOf(one), countedOf(other));
