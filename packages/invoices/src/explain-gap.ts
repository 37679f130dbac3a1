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

/** Both sides, and what may explain their gap. */
export interface Known {
  recorded: readonly Amount[];
  billed: readonly Amount[];
  listed: readonly Listed[];
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

function sumUp(recorded: readonly Amount[], billed: readonly Amount[]): Gap[] {
  const gaps = new Map<string, Gap>();
  const add = ({ day, model, nanoUsd }: Amount, side: 'recorded' | 'billed') => {
    const none = { recorded: 0, billed: 0, gap: 0, unrecorded: 0, doubtful: 0, other_day: 0, unpriced: 0, beside: 0 };
    const gap = gaps.get(`${day} ${model}`) ?? { day, model, ...none };
    gap[side] += nanoUsd;
    gap.gap = gap.billed - gap.recorded;
    gap.beside = gap.gap;
    gaps.set(`${day} ${model}`, gap);
  };
  for (const amount of recorded) add(amount, 'recorded');
  for (const amount of billed) add(amount, 'billed');
  return [...gaps.values()].sort((one, other) => (`${one.day} ${one.model}` < `${other.day} ${other.model}` ? -1 : 1));
}

/** Calls of a model that the day's bill does not name explain whatever else has a gap that day. */
function explainListed(ofDay: readonly Gap[], { model, cause, more, less }: Listed): void {
  const ofModel = ofDay.filter((gap) => gap.model === model);
  const left = { more, less };
  for (const gap of ofModel.length > 0 ? ofModel : ofDay) {
    const side = gap.beside > 0 ? 'more' : 'less';
    const size = Math.min(Math.abs(gap.beside), left[side]);
    left[side] -= size;
    explain(gap, cause, gap.beside > 0 ? size : -size);
  }
}

/** What a model has too much on one day, and as much too little on one before, is work that was recorded when its results came. */
function matchDays(ofModel: readonly Gap[]): void {
  for (const late of ofModel) {
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

const groupBy = (gaps: readonly Gap[], name: 'day' | 'model') => Map.groupBy(gaps, (gap) => gap[name]);

/**
 * Sets what was billed beside what is recorded, by day and model, and splits each gap by its causes, exactly. `beside` is the rest: spend
 * that did not pass here if it is above 0, else what was recorded and not billed, such as a discount.
 */
export function explainGaps({ recorded, billed, listed, isUnpriced }: Known): Gap[] {
  const gaps = sumUp(recorded, billed);
  const days = groupBy(gaps, 'day');
  for (const call of listed) explainListed(days.get(call.day) ?? [], call);
  for (const ofModel of groupBy(gaps, 'model').values()) matchDays(ofModel);
  for (const gap of gaps) if (gap.beside > 0 && isUnpriced(gap.day, gap.model)) explain(gap, 'unpriced', gap.beside);
  return gaps;
}

/** The sums of some gaps. */
export function sumGaps(gaps: readonly Gap[], name: { day: string; model: string }): Gap {
  const sum = sumUp([], [{ ...name, nanoUsd: 0 }])[0] as Gap;
  for (const gap of gaps)
    for (const part of ['recorded', 'billed', 'gap', ...gapCauses] as const) sum[part] += gap[part];
  return sum;
}
