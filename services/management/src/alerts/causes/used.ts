import type { FactsOf } from '@agp/alerts';
import { type Charge, isCalendar, never, steps, toCharge } from '@agp/budgets';
import { formatCount, roundUsd } from '@agp/core/explain';
import { fromPublicId } from '@agp/core/ids';
import { chargedLabels } from '@agp/core/labels';
import {
  type AlertRow,
  type FullCap,
  listDocuments,
  listFullUse,
  readFullCaps,
  readRefusingBudgets,
  readUsed,
} from '@agp/db';
import { definitionOf, expectUse, nameKeys } from '../../reads/budgets.ts';
import { agentPath, type Cause, type Finder, isFor, type Look } from './look.ts';

/** Of each budget, those that used most. */
const mostKeys = 1_000;
/** What is not recorded is counted later, of those that used nearly as much. */
const nearly = 0.9;
const guessed = 'projected';
/** How much of a window must be over before its end is guessed. */
const guessAfter = 0.1;

export const formatAmount = (amount: number, unit: Charge['unit']) =>
  unit === 'usd' ? `${roundUsd(amount)} USD` : `${formatCount(Math.round(amount))} ${unit}`;

interface Use {
  charge: Charge;
  used: number;
  whose: string | null;
  /** It refused the latest request of somebody. */
  refuses: boolean;
}

/** How long a refusal says that the next request has no room, in minutes. */
const refusedMinutes = 10;

/** Of a budget that is used by less, a request that it refuses asks too much. */
const tightPart = 0.8;

/** Says of a budget and what it is split by whether it refused somebody's latest request in its window. */
async function readRefusing(look: Look): Promise<(charge: Charge) => boolean> {
  const rows = await readRefusingBudgets(look.db, look.ago(refusedMinutes));
  const agents = await look.agents(rows.map(({ agent_id }) => agent_id));
  const latest = new Map<string, number>();
  for (const { budget, agent_id: id, at } of rows) {
    const labels = Object.entries(chargedLabels(agents.get(id)?.metadata ?? {}) ?? {});
    for (const of of ['', id, ...labels.map((label) => label.join(' '))])
      latest.set(`${budget} ${of}`, Math.max(at.getTime(), latest.get(`${budget} ${of}`) ?? 0));
  }
  return ({ key, window, stored: { budget } }) => {
    const [, label] = /^label:(.*)/.exec(budget.split_by) ?? [];
    return (latest.get(`${budget.name} ${label === undefined ? key : `${label} ${key}`}`) ?? 0) > window.from;
  };
}

/**
 * Who used so much of budgets that a rule may tell it.
 * @param percent of which it is told
 * @param endsBy only windows that end until then
 */
async function readUses(look: Look, at: Date, percent: number, endsBy = Infinity): Promise<Use[]> {
  const now = at.getTime();
  const places = (await look.once('budgets', () => listDocuments(look.db, 'budget')))
    .map((row) => toCharge(definitionOf(row), '', now))
    .filter(({ window, limit }) => window.to <= endsBy && limit > 0)
    .map((charge) => {
      const { stored, window, limit } = charge;
      // Who will pass it at this pace used at least the part of it that the window is over.
      const part = isCalendar(stored.budget.window) ? (now - window.from) / (window.to - window.from) : 1;
      return { charge, least: nearly * limit * Math.min(percent / 100, Math.max(part, guessAfter)) };
    });
  if (places.length === 0) return [];
  const full = await listFullUse(look.db, places, mostKeys);
  const charges = full.flatMap(({ position, key }) => {
    const place = places[position];
    return place === undefined ? [] : [toCharge(place.charge.stored, key, now)];
  });
  const used = await readUsed(look.db, charges);
  const name = await nameKeys(look.db, charges);
  const refuses = await look.once('refusing', () => readRefusing(look));
  return charges.map((charge, index) => {
    const { key, name: agent } = name(charge);
    return { charge, used: used[index] ?? 0, whose: agent ?? (key || null), refuses: refuses(charge) };
  });
}

/**
 * The highest part that is passed: it takes the place of the lower ones.
 * @param isOpen of what goes up and down: lower ones that were told already stay, or they would be told again and again
 */
function listPassed(percents: readonly number[], part: number, isOpen = (_percent: number) => false): number[] {
  const passed = percents.filter((percent) => part * 100 >= percent);
  const highest = Math.max(...passed);
  return passed.filter((percent) => percent === highest || isOpen(percent));
}

type IsOpen = (subject: string, window?: string) => boolean;

/** Whether an alert of a subject is open, in a window if that is asked for. */
function isOpenIn(open: readonly AlertRow[]): IsOpen {
  const windows = new Map(open.map(({ subject, window }) => [subject, window]));
  return (subject, window = windows.get(subject)) => windows.has(subject) && windows.get(subject) === window;
}

function* listUsed({ charge, used, whose, refuses }: Use, rule: Rule, open: IsOpen, look: Look) {
  const { stored, unit, limit, window, key } = charge;
  const { budget } = stored;
  const isFixed = isCalendar(budget.window);
  const of = `${stored.id} ${key}`;
  const isOver = window.to <= look.at.getTime();
  const windowOf = `${new Date(window.from).toISOString()} ${budget.amount} ${unit}`;
  const cause = (what: string, percent: number, expected: number | null): Cause<'budget'> => ({
    subject: `${of} ${what}`,
    // A raised amount is told anew; of a window that moves on, whatever comes is.
    ...(isFixed && { window: windowOf }),
    path: '/budgets',
    agentId: budget.split_by === 'agent' ? key : null,
    ...(isOver && { ends: 'over' as const }),
    facts: {
      ...{ name: budget.name, whose, percent },
      used: formatAmount(used / steps[unit], unit),
      amount: formatAmount(budget.amount, unit),
      ...(percent >= 100 && what !== guessed && used < limit && { tight: true }),
      until:
        window.to === never || !isFixed
          ? null
          : `${new Date(window.to).toISOString().slice(0, 16).replace('T', ' ')} UTC`,
      expected: expected === null ? null : formatAmount(expected / steps[unit], unit),
    },
  });
  // What has refused stays told until its window ends: smaller requests may pass.
  const part = used / limit;
  const isTight = part >= tightPart && (refuses || (isFixed && open(`${of} 100`, windowOf)));
  const reached = isTight ? Math.max(1, part) : part;
  for (const percent of listPassed(rule.at_percent, reached, (each) => !isFixed && open(`${of} ${each}`)))
    yield cause(`${percent}`, percent, null);
  const over = (look.at.getTime() - window.from) / (window.to - window.from);
  const expected = expectUse(budget, window, used, look.at.getTime());
  if (rule.projected && !isOver && expected !== null && over >= guessAfter && reached < 1 && expected > limit)
    yield cause(guessed, 100, expected);
}

type Rule = Parameters<Finder<'budget'>['find']>[1];

export const budgetFinder: Finder<'budget'> = {
  everyMs: 10_000,
  // A window with a beginning comes but once; what moves on or is guessed goes up and down.
  isExact: ({ subject, window }) => window.includes(' ') && !subject.endsWith(guessed),
  async find(look, rule, openAlerts, last) {
    const open = isOpenIn(openAlerts);
    const least = Math.min(...rule.at_percent);
    const uses = await look.once(`uses from ${least}`, () => readUses(look, look.at, least));
    // What was passed just before its window ended is told too.
    const ended = await look.once(`ended from ${least}`, () => readUses(look, last, least, look.at.getTime()));
    return [...uses, ...ended]
      .filter(({ charge }) => rule.budgets === undefined || rule.budgets.includes(charge.stored.budget.name))
      .flatMap((use) => [...listUsed(use, rule, open, look)]);
  },
};

const usd = (amount: number) => `${roundUsd(amount)} USD`;

/** Nothing of it is left, or too little for any request, and requests are refused. */
const isFull = ({ daily_cap_usd: cap, spent_usd: spent, warn_only, has_no_room }: FullCap) =>
  (spent >= cap || has_no_room) && !warn_only;

function factsOfCap(full: FullCap, percent: number, refuses: boolean): FactsOf<'cap'> {
  const { agent_name: name, day, daily_cap_usd: cap, spent_usd: spent } = full;
  const next = new Date(Date.parse(day) + 86_400_000).toISOString();
  return {
    ...{ name: name === null ? 'of all agents' : `of ${name}`, whose: null, percent },
    ...{ used: usd(spent), amount: usd(cap), until: `${next.slice(0, 10)} 00:00 UTC`, expected: null },
    ...(refuses && {
      refusing: name === null ? 'Every request of every agent' : `Every request of ${name}`,
      tight: spent < cap,
    }),
  };
}

export const capFinder: Finder<'cap'> = {
  everyMs: 10_000,
  isExact: () => true,
  async find(look, rule) {
    const least = Math.min(...rule.at_percent) / 100;
    const caps = (await look.once(`caps from ${least}`, () => readFullCaps(look.db, least))).map((cap) => ({
      ...cap,
      id: cap.agent_id && fromPublicId('agt', cap.agent_id),
    }));
    const agents = await look.agents(caps.map(({ id }) => id));
    return caps
      .filter(({ id }) => isFor(rule, { agent: agents.get(id) }))
      .flatMap((cap) => {
        const { id, day, reach, daily_cap_usd: most, spent_usd: spent } = cap;
        const of = id ?? 'all agents';
        const told = { window: `${day} ${most}`, path: id === null ? '/budgets' : agentPath(id), agentId: id, reach };
        if (!isFull(cap))
          return listPassed(rule.at_percent, spent / most).map((percent): Cause<'cap'> => {
            return { subject: `${of} ${percent}`, ...told, facts: factsOfCap(cap, percent, false) };
          });
        // A cap that refuses has an alert of its own, in place of those of its parts.
        const refusal: Cause<'cap'> = {
          ...{ subject: `${of} refuses`, ...told, facts: factsOfCap(cap, 100, true) },
          ...(id === null && { severity: 'critical' }),
        };
        return [refusal];
      });
  },
};
