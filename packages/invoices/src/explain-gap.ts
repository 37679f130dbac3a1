import { type GapCause, gapCauses } from '@agp/core/contracts';
import type { Days } from './billing-api.ts';

/** Nano-dollars of one model on one UTC day. `gap` is `billed` less `recorded`, and the sum of the causes. */
export type Gap = { day: string; model: string; recorded: number; billed: number; gap: number } & Record<
  GapCause,
  number
>;

interface Amount {
  day: string;
  model: string;
  nanoUsd: number;
}

/** A call that may explain a part of its day's gap. */
interface Listed {
  day: string;
  /** Null if it is not known. */
  model: string | null;
  cause: 'unrecorded' | 'doubtful' | 'other_day';
  /** How much more than recorded may have been billed. */
  more: number;
  /** How much less. */
  less: number;
}

/** Both sides, and what may explain their gap; lists are read once, step by step. */
export interface Known {
  recorded: Iterable<Amount>;
  billed: Iterable<Amount>;
  listed: Iterable<Listed>;
  isUnpriced(day: string, model: string): boolean;
}

const dayMs = 86_400_000;
/** Work may be recorded so many days after it was billed, when somebody fetches its results; or the day before, when it began. */
const mostLate = 7;
const mostEarly = 1;

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

/** The days whose records and bill explain the gaps of some days: work at the range's ends may be recorded outside of it. */
export const widenDays = ({ from, to }: Days, now = Date.now()): Days => ({
  from: dayOf(Date.parse(from) - mostLate * dayMs),
  to: dayOf(Math.min(Date.parse(to) + mostLate * dayMs, now + dayMs)),
});

const daysBetween = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / dayMs;

/** Moves a part of what is not explained yet to a cause. */
function explain(gap: Gap, cause: GapCause, part: number): void {
  gap[cause] += part;
  gap.beside -= part;
}

const noGap = ({ day, model }: Pick<Gap, 'day' | 'model'>): Gap => ({
  ...{ day, model, recorded: 0, billed: 0, gap: 0 },
  ...{ unrecorded: 0, doubtful: 0, other_day: 0, unpriced: 0, beside: 0 },
});

/** What a day has, by model. */
type Day = Map<string, Gap>;

const sortByName = <Value>(by: ReadonlyMap<string, Value>) => [...by].sort(([one], [other]) => (one < other ? -1 : 1));

/** Days in their order, each with its models in theirs. */
function* sumUp({ recorded, billed }: Pick<Known, 'recorded' | 'billed'>): Generator<undefined, Map<string, Day>> {
  const days = new Map<string, Day>();
  for (const [side, amounts] of [['recorded', recorded] as const, ['billed', billed] as const])
    for (const amount of amounts) {
      yield;
      const day: Day = days.get(amount.day) ?? new Map();
      const gap = day.get(amount.model) ?? noGap(amount);
      gap[side] += amount.nanoUsd;
      gap.gap = gap.billed - gap.recorded;
      gap.beside = gap.gap;
      days.set(amount.day, day.set(amount.model, gap));
    }
  const sorted = new Map<string, Day>();
  for (const [name, day] of sortByName(days)) {
    yield;
    sorted.set(name, new Map(sortByName(day)));
  }
  return sorted;
}

/**
 * Explains gaps of a day by its calls, one after the other. Those of a model that the day's bill does not name explain whatever else has a
 * gap that day: of each side the first model that is not explained yet, so that many calls and models take no longer than both together.
 */
class DayOfCalls {
  readonly #models: ReadonlyMap<string, Gap>;
  readonly #open: Record<'more' | 'less', Gap[]>;

  constructor(models: Day) {
    this.#models = models;
    // The first is the last, so that it is taken away at once.
    const gaps = [...models.values()].reverse();
    this.#open = { more: gaps.filter(({ beside }) => beside > 0), less: gaps.filter(({ beside }) => beside < 0) };
  }

  explain(call: Listed): void {
    const gap = call.model === null ? undefined : this.#models.get(call.model);
    for (const side of ['more', 'less'] as const) {
      if (gap === undefined) this.#spread(call, side);
      else if (gap.beside > 0 === (side === 'more')) this.#take(gap, call.cause, side, call[side]);
    }
  }

  #spread(call: Listed, side: 'more' | 'less'): void {
    const open = this.#open[side];
    let left = call[side];
    for (let gap = open.at(-1); gap !== undefined && left > 0; gap = open.at(-1)) {
      left -= this.#take(gap, call.cause, side, left);
      if (gap.beside === 0) open.pop();
    }
  }

  /** How much of it the gap took. */
  #take(gap: Gap, cause: GapCause, side: 'more' | 'less', most: number): number {
    const size = Math.min(Math.abs(gap.beside), most);
    explain(gap, cause, side === 'more' ? size : -size);
    return size;
  }
}

/** What a model has too much on one day, and as much too little on one before, is work that was recorded when its results came. */
function matchDays(ofModel: readonly Gap[]): void {
  for (const late of ofModel) {
    if (late.beside >= 0) continue;
    const distance = ({ day }: Gap) => Math.abs(daysBetween(day, late.day));
    const near = ofModel.filter(({ day }) => {
      const days = daysBetween(day, late.day);
      return days >= -mostEarly && days <= mostLate;
    });
    for (const early of near.sort((one, other) => distance(one) - distance(other))) {
      const size = Math.min(early.beside, -late.beside);
      if (size <= 0) continue;
      explain(early, 'other_day', size);
      explain(late, 'other_day', -size);
    }
  }
}

/**
 * Sets what was billed beside what is recorded, by day and model, and splits each gap by its causes, exactly. `beside` is the rest: spend
 * that did not pass here if it is above 0, else what was recorded and not billed, such as a discount. Each step is short, however long
 * the lists are.
 */
export function* explainInSteps({ recorded, billed, listed, isUnpriced }: Known): Generator<undefined, Gap[]> {
  const days = yield* sumUp({ recorded, billed });
  const calls = new Map<string, DayOfCalls>();
  for (const call of listed) {
    yield;
    const day = calls.get(call.day) ?? new DayOfCalls(days.get(call.day) ?? new Map());
    day.explain(call);
    calls.set(call.day, day);
  }
  const gaps: Gap[] = [];
  const models = new Map<string, Gap[]>();
  for (const day of days.values())
    for (const gap of day.values()) {
      yield;
      gaps.push(gap);
      const ofModel = models.get(gap.model) ?? [];
      ofModel.push(gap);
      models.set(gap.model, ofModel);
    }
  for (const ofModel of models.values()) {
    yield;
    matchDays(ofModel);
  }
  for (const gap of gaps) {
    yield;
    if (gap.beside > 0 && isUnpriced(gap.day, gap.model)) explain(gap, 'unpriced', gap.beside);
  }
  return gaps;
}

/** All of it at once. */
export function explainGaps(known: Known): Gap[] {
  const work = explainInSteps(known);
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** The sums of some gaps. */
export function sumGaps(gaps: readonly Gap[], name: { day: string; model: string }): Gap {
  const sum = noGap(name);
  for (const gap of gaps)
    for (const part of ['recorded', 'billed', 'gap', ...gapCauses] as const) sum[part] += gap[part];
  return sum;
}
