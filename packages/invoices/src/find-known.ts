import type { CostUsageEntry, DoubtfulUsage, UnpricedModel, UnrecordedRequest } from '@agp/core/contracts';
import { nameModel } from './billing-api.ts';
import type { Known } from './explain-gap.ts';

/** What the API's lists of costs say of some days, of one provider or of several. */
export interface Records {
  /** By day, model and provider. */
  usage: readonly Pick<CostUsageEntry, 'day' | 'model' | 'provider' | 'total_cost_usd'>[];
  unpriced: readonly UnpricedModel[];
  unrecorded: readonly UnrecordedRequest[];
  doubtful: readonly DoubtfulUsage[];
}

const toNano = (usd: number) => Math.round(usd * 1e9);

/** A call that explains a part of a gap, or none of it. */
function* listCalls({ unrecorded, doubtful }: Pick<Records, 'unrecorded' | 'doubtful'>) {
  for (const call of unrecorded) yield { ...call, cause: 'unrecorded' as const, more: call.cost_usd, less: 0 };
  for (const call of doubtful)
    yield {
      ...{ ...call, cause: call.reason === 'billed_later' ? ('other_day' as const) : ('doubtful' as const) },
      // An estimate may be too high by all of it.
      more: call.ended_by_event_id === null ? Math.max(0, call.claimed_cost_usd - call.cost_usd) : 0,
      less: call.cost_usd,
    };
}

/**
 * What is recorded of a vendor, and what is known to be missing; in nano-dollars, by models as bills name them, found as it is read.
 * @param providers by which ids calls to it are recorded
 */
export function findKnown(
  providers: readonly string[],
  { usage, unpriced, ...calls }: Records,
  nameOf: (model: string) => string = nameModel,
): Omit<Known, 'billed'> {
  const isOurs = ({ provider }: { provider?: string | null | undefined }) => !provider || providers.includes(provider);
  const without = unpriced.filter((row) => isOurs(row) && row.unit === null);
  const ofModel = Map.groupBy(without, ({ model }) => nameOf(model));
  return {
    recorded: usage
      .values()
      .filter(isOurs)
      .map(({ day = '', model = '', total_cost_usd: usd }) => ({ day, model: nameOf(model), nanoUsd: toNano(usd) })),
    listed: listCalls(calls)
      .filter(isOurs)
      .map(({ started_at: time, model, cause, more, less }) => ({
        ...{ day: time.slice(0, 10), model: model && nameOf(model), cause, more: toNano(more), less: toNano(less) },
      })),
    isUnpriced: (day, name) =>
      ofModel
        .get(name)
        ?.some(
          ({ first_seen_at: first, last_seen_at: last }) => day >= first.slice(0, 10) && day <= last.slice(0, 10),
        ) ?? false,
  };
}
