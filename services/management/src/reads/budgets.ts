import {
  type BudgetDefinition,
  type BudgetPreview,
  type BudgetUse,
  budgetSchema,
  type Charge,
  type Definition,
  type ExplainedBudget,
  findCharges,
  isCalendar,
  mostUses,
  never,
  prepareCounted,
  type StoredBudget,
  steps,
  tagOf,
  toCharge,
} from '@agp/budgets';
import { expectAtEnd } from '@agp/core/calendar';
import { ApiError } from '@agp/core/errors';
import { toPublicId } from '@agp/core/ids';
import { chargedLabels, splitLabelOf } from '@agp/core/labels';
import {
  type AgentRow,
  type Db,
  type DocumentRow,
  listAgentNames,
  listAgents,
  listBudgetUse,
  readUsed,
  sumRecorded,
  sumUnrecorded,
} from '@agp/db';
import { selects } from '@agp/documents';
import type { BudgetReservations } from '@agp/reservations';
import { presentRow } from '../presenters.ts';

const presentWindow = ({ from, to }: Charge['window']): StoredBudget['window'] => ({
  from: from === 0 ? null : new Date(from).toISOString(),
  to: to === never ? null : new Date(to).toISOString(),
});

/** What requests are held to by now, or else what is being counted. */
export function definitionOf({ id, epoch, budget, active, active_epoch }: DocumentRow<'budget'>): Definition {
  const isActive = active_epoch !== null && active !== null;
  return { id, epoch: isActive ? active_epoch : epoch, budget: budgetSchema.parse(isActive ? active : budget) };
}

/** What is held of budgets, by scope. @throws ApiError `reservations_unavailable`: unknown amounts must not look like none */
async function readHeld(reservations: BudgetReservations, now: number): Promise<ReadonlyMap<string, number>> {
  try {
    return await reservations.readBudgets(now);
  } catch {
    throw new ApiError('reservations_unavailable');
  }
}

/** @throws ApiError `reservations_unavailable` */
export const assureHeld = (reservations: BudgetReservations) => readHeld(reservations, Date.now());

/** What is used at the end of a window, if it goes on as since its beginning; null if it has no fixed end. */
export const expectUse = (
  { window: name }: BudgetDefinition,
  window: Charge['window'],
  used: number,
  now: number,
): number | null => (isCalendar(name) ? expectAtEnd(used, window, now) : null);

type Amounts = Record<'used' | 'held', number>;

/** Names of agents that budgets are split by. */
export async function nameKeys(
  db: Db,
  charges: readonly Charge[],
): Promise<(charge: Charge) => Pick<BudgetUse, 'key' | 'name'>> {
  const ids = charges.filter(({ stored }) => stored.budget.split_by === 'agent').map(({ key }) => key);
  const names = new Map(ids.length === 0 ? [] : (await listAgentNames(db, ids)).map(({ id, name }) => [id, name]));
  return ({ key, stored }) =>
    stored.budget.split_by === 'agent'
      ? { key: toPublicId('agt', key), name: names.get(key) ?? null }
      : { key, name: null };
}

/** What is used and held of budgets, as requests are judged by it. */
async function readAmounts(db: Db, charges: readonly Charge[], held: ReadonlyMap<string, number>) {
  const used = await readUsed(db, charges);
  const amounts = new Map(charges.map((charge, at) => [charge, used[at] ?? 0]));
  return (charge: Charge): Amounts => ({ used: amounts.get(charge) ?? 0, held: held.get(charge.scope) ?? 0 });
}

function presentUse({ stored, window, unit, limit }: Charge, { used, held }: Amounts, now: number) {
  const step = steps[unit];
  const expected = expectUse(stored.budget, window, used, now);
  return {
    used: used / step,
    held: held / step,
    left: (limit - used - held) / step,
    expected: expected === null ? null : Math.round(expected) / step,
  };
}

/** Budgets as they are used at this moment: the same figures that requests are judged by. */
export async function presentBudgets(
  db: Db,
  reservations: BudgetReservations,
  rows: readonly DocumentRow<'budget'>[],
): Promise<StoredBudget[]> {
  const now = Date.now();
  // Before what is used, so that an event recorded in between is found there.
  const held = await readHeld(reservations, now);
  const places = rows.map((row) => toCharge(definitionOf(row), '', now));
  const most = await listBudgetUse(db, places, mostUses);
  const byBudget = Map.groupBy(most, ({ position }) => position);
  const listed = places.map((place, at) => {
    const isSplit = place.stored.budget.split_by !== 'none';
    const keys = isSplit ? (byBudget.get(at) ?? []).map(({ key }) => key) : [''];
    return keys.map((key) => toCharge(place.stored, key, now));
  });
  const all = listed.flat();
  const [use, name] = await Promise.all([readAmounts(db, all, held), nameKeys(db, all)]);
  return rows.map((row, at) => {
    const { id, version, budget, text, team, created_at, updated_at } = row;
    const uses = (listed[at] ?? [])
      .map((charge) => ({ ...name(charge), ...presentUse(charge, use(charge), now) }))
      // Of an agent that left a team its use stays in the sum.
      .filter((each) => each.name !== null || places[at]?.stored.budget.split_by !== 'agent');
    return {
      ...presentRow({ id, version }, 'bud'),
      budget: budgetSchema.parse(budget),
      text,
      is_counted: row.active_epoch === row.epoch,
      window: presentWindow((places[at] as Charge).window),
      uses: uses.toSorted((one, other) => other.used - one.used),
      use_count: byBudget.get(at)?.[0]?.count ?? 0,
      team,
      ...presentRow({ created_at, updated_at }),
    };
  });
}

/** A preview looks no longer, and at no more that the budget is split by. */
const [previewMs, previewKeys] = [10_000, 10_000];
const mostNames = 20;
const asCreated = { day: '', withUsage: false, order: 'created' } as const;

/** Whom a budget would count, and what its window holds by the records; changes nothing. */
export async function previewBudget(db: Db, budget: BudgetDefinition): Promise<BudgetPreview> {
  const now = Date.now();
  const { models: _, ...selector } = budget.match;
  const label = splitLabelOf(budget.split_by);
  const names: string[] = [];
  let count = 0;
  for await (const agents of listAgents(db, {}, { offset: 0 }, asCreated))
    for (const { name, metadata } of agents) {
      const who = { agent: name, labels: chargedLabels(metadata) ?? {}, tag: tagOf(metadata), provider: '' };
      const isSplit = label === null || Object.hasOwn(who.labels, label);
      if (!isSplit || !selects({ ...selector, providers: undefined, tags: undefined }, who)) continue;
      count += 1;
      if (names.length < mostNames) names.push(name);
    }
  const stored = { id: '00000000-0000-7000-8000-000000000000', epoch: 0, budget };
  const place = toCharge(stored, '', now);
  const looked = await sumRecorded(db, stored, { until: performance.now() + previewMs, keys: previewKeys });
  const spend = [...looked.spend.values()].filter(({ startsAt }) => startsAt < place.window.to);
  const { unit } = budget;
  const sums = await sumUnrecorded(db, stored);
  for (const { key, nanoUsd, tokens, requests } of spend)
    sums.set(key, (sums.get(key) ?? 0) + Number({ usd: nanoUsd, tokens, requests }[unit]));
  if (budget.split_by === 'none' && sums.size === 0) sums.set('', 0);
  const most = [...sums].toSorted(([, one], [, other]) => other - one).slice(0, mostUses);
  const charges = most.map(([key]) => toCharge(stored, key, now));
  const name = await nameKeys(db, charges);
  const uses = charges.map((charge, at) => {
    const { held: _none, ...use } = presentUse(charge, { used: most[at]?.[1] ?? 0, held: 0 }, now);
    return { ...name(charge), ...use };
  });
  const passed = [...sums.values()].filter((sum) => sum >= place.limit).length;
  return {
    window: presentWindow(place.window),
    agents: { count, names },
    uses,
    use_count: sums.size,
    passed,
    is_complete: looked.isComplete,
  };
}

interface Asked {
  agent: AgentRow;
  model: string | null;
  provider: string | null;
  tag: string | null;
}

/** The budgets that count a request of an agent, with those that only observe. What is not asked counts as what matches. */
export async function explainBudgets(
  db: Db,
  reservations: BudgetReservations,
  rows: readonly DocumentRow<'budget'>[],
  { agent, model, provider, tag }: Asked,
): Promise<ExplainedBudget[]> {
  const now = Date.now();
  const held = await readHeld(reservations, now);
  const charges = rows.flatMap((row) => {
    const { id, epoch, budget } = definitionOf(row);
    const set = prepareCounted(0, [{ id, epoch, budget, active: null, activeEpoch: null }]);
    const call = {
      agentId: agent.id,
      agent: agent.name,
      labels: chargedLabels(agent.metadata) ?? {},
      tag: tag ?? tagOf(agent.metadata),
      provider: provider ?? budget.match.providers?.[0] ?? '',
      models: model === null ? null : [model],
      sessionId: '',
    };
    return findCharges(set, call, now).all;
  });
  const [use, name] = await Promise.all([readAmounts(db, charges, held), nameKeys(db, charges)]);
  return charges.map((charge) => {
    const { id, budget } = charge.stored;
    const { name: budgetName, on_exceeded, unit, amount } = budget;
    return {
      ...{ id: toPublicId('bud', id), name: budgetName, on_exceeded, unit, amount },
      window: presentWindow(charge.window),
      use: { ...name(charge), ...presentUse(charge, use(charge), now) },
    };
  });
}
