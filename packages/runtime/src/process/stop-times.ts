import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

const seconds = z.coerce.number('must be a whole number').int().min(0);

/** How long a service that is told to stop goes on serving, in seconds, while those who send to it hear that it goes. */
export const drainDelayField = seconds.default(0);

/** How long what is running may go on, in seconds, after the drain delay. */
export const shutdownGraceField = (defaultSeconds: number) => seconds.default(defaultSeconds);

/**
 * What a stop may take beyond the drain delay and the grace, in milliseconds: last words on streams, events to hand over,
 * connections to close. docs/configuration.md states it, and Kubernetes' grace is worked out with it.
 */
export const stopMarginMs = 10_000;

/** How long a stop may take in all, in milliseconds. */
export function toStopLimit(times: { drainDelaySeconds?: number; shutdownGraceSeconds: number }): number {
  return ((times.drainDelaySeconds ?? 0) + times.shutdownGraceSeconds) * 1_000 + stopMarginMs;
}

/** Waits out the drain delay; `hurry` ends it. */
export async function waitForDrain(delaySeconds: number, hurry?: AbortSignal): Promise<void> {
  if (delaySeconds === 0 || hurry?.aborted) return;
  // It rejects when it is cut short, and nothing else.
  await sleep(delaySeconds * 1_000, undefined, hurry ? { signal: hurry } : {}).catch(() => {});
}
