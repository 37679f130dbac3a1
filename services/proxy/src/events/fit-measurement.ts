import type { Measurement } from '@agp/metering';

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
export function fitMeasurement(measured: Measurement): Measurement {
  const promptTokens = fitCount(measured.promptTokens, maxEventTokens);
  const completionTokens = fitCount(measured.completionTokens, maxEventTokens);
  const costNanoUsd = fitCount(measured.costNanoUsd);
  const isFit =
    promptTokens === measured.promptTokens &&
    completionTokens === measured.completionTokens &&
    costNanoUsd === measured.costNanoUsd;
  if (isFit) return measured;
  const claimed = {
    promptTokens: fitCount(measured.promptTokens),
    completionTokens: fitCount(measured.completionTokens),
    costNanoUsd,
  };
  return {
    ...measured,
    promptTokens,
    completionTokens,
    costNanoUsd,
    doubt: measured.doubt ?? { reason: 'out_of_range', ...claimed },
  };
}
