import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Logger } from '../logger.ts';
import { withTimeout } from './keep-trying.ts';

export interface Service extends AsyncDisposable {
  url: string;
  opsUrl?: string;
  /** The process ends after so many milliseconds of a stop in any case; no limit if not given. */
  stopWithinMs?: number;
  /** Finishes accepted work, then closes everything. Safe to call twice; `hurry` ends the drain delay. */
  stop(hurry?: AbortSignal): Promise<void>;
}

const signals = ['SIGTERM', 'SIGINT', 'disconnect'] as const;

/** The first signal stops, the second hurries, and further ones change nothing, since the time of a stop is limited. */
function followSignals(): { stop: Promise<null>; hurry: AbortSignal } {
  const { promise, resolve } = Promise.withResolvers<null>();
  const hurry = new AbortController();
  let isStopping = false;
  for (const signal of signals)
    process.on(signal, () => {
      if (isStopping) hurry.abort();
      isStopping = true;
      resolve(null);
    });
  return { stop: promise, hurry: hurry.signal };
}

/**
 * Starts a service and stops it on SIGTERM, SIGINT, and when a parent process that holds its IPC channel goes away. If a start or a stop
 * fails, or a stop takes too long, the process ends with code 1.
 */
export async function runUntilSignal(start: () => Promise<Service>, logger: Logger): Promise<void> {
  const { stop, hurry } = followSignals();
  try {
    const service = await Promise.race([start(), stop]);
    if (service === null) {
      logger.info('stopping before it was ready');
      process.exit(0);
    }
    process.send?.({ ready: true, url: service.url, opsUrl: service.opsUrl ?? service.url });
    await stop;
    logger.info('stopping');
    const stopped = service.stop(hurry);
    const { stopWithinMs } = service;
    const late = 'the stop took too long: unfinished work is given up';
    await (stopWithinMs === undefined ? stopped : withTimeout(stopped, stopWithinMs, late));
    process.exit(0);
  } catch (error) {
    logger.fatal({ error: error instanceof Error ? error.message : String(error) }, 'cannot go on');
    process.exit(1);
  }
}

const seconds = z.coerce.number('must be a whole number').int().min(0);

export const drainDelayField = seconds.default(0);

export const shutdownGraceField = (defaultSeconds: number) => seconds.default(defaultSeconds);

/** The time beyond drain delay and grace, in milliseconds; docs/configuration.md and Kubernetes' grace period include it. */
export const stopMarginMs = 10_000;

/** How long a stop may take in all, in milliseconds. */
export function toStopLimit(times: { drainDelaySeconds?: number; shutdownGraceSeconds: number }): number {
  return ((times.drainDelaySeconds ?? 0) + times.shutdownGraceSeconds) * 1_000 + stopMarginMs;
}

export async function waitForDrain(delaySeconds: number, hurry?: AbortSignal): Promise<void> {
  if (delaySeconds === 0 || hurry?.aborted) return;
  // It rejects only if it is cut short.
  await sleep(delaySeconds * 1_000, undefined, hurry ? { signal: hurry } : {}).catch(() => {});
}
