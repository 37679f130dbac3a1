import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

const seconds = z.coerce.number('must be a whole number').int().min(0);

/** How long a stopping service goes on serving, in seconds, until load balancers have noticed that it is unready. */
export const drainDelayField = seconds.default(0);

/** How long running requests may go on after the drain delay, in seconds. */
export const shutdownGraceField = (defaultSeconds: number) => seconds.default(defaultSeconds);

/**
 * Time for a stop beyond the drain delay and the grace, in milliseconds: to end streams, hand over events and close connections.
 * docs/configuration.md names it, and Kubernetes' grace period includes it.
 */
export const stopMarginMs = 10_000;

/** How long a stop may take in all, in milliseconds. */
export function toStopLimit(times: { drainDelaySeconds?: number; shutdownGraceSeconds: number }): number {
  return ((times.drainDelaySeconds ?? 0) + times.shutdownGraceSeconds) * 1_000 + stopMarginMs;
}

/** Waits out the drain delay; `hurry` ends it. */
export async function waitForDrain(delaySeconds: number, hurry?: AbortSignal): Promise<void> {
  if (delaySeconds === 0 || hurry?.aborted) return;
  // It rejects only if it is cut short.
  await sleep(delaySeconds * 1_000, undefined, hurry ? { signal: hurry } : {}).catch(() => {});
}
