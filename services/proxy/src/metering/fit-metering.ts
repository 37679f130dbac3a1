import type { Metering } from '../journey.ts';

/**
 * The most tokens that an event says, in and out each: five times what 100,000 calls of the largest context use, and little
 * enough that the sums of a day and of a session stay within what Postgres holds, whatever a provider claims.
 */
const maxEventTokens = 1_000_000_000_000;

/** A whole number from 0 to a bound, whatever it was. */
export function fitCount(value: number, max = Number.MAX_SAFE_INTEGER): number {
  if (Number.isNaN(value)) return 0;
  return Math.min(Math.max(0, Math.round(value)), max);
}

/** Figures that an event can hold, whatever they were. What had to be changed is doubted. */
export function fitMetering(metering: Metering): Metering {
  const promptTokens = fitCount(metering.promptTokens, maxEventTokens);
  const completionTokens = fitCount(metering.completionTokens, maxEventTokens);
  const costNanoUsd = fitCount(metering.costNanoUsd);
  const isFit =
    promptTokens === metering.promptTokens &&
    completionTokens === metering.completionTokens &&
    costNanoUsd === metering.costNanoUsd;
  if (isFit) return metering;
  const claimed = {
    promptTokens: fitCount(metering.promptTokens),
    completionTokens: fitCount(metering.completionTokens),
    costNanoUsd,
  };
  return {
    ...metering,
    promptTokens,
    completionTokens,
    costNanoUsd,
    doubt: metering.doubt ?? { reason: 'out_of_range', ...claimed },
  };
}
