import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Logger } from '../logger.ts';

/** A running service. */
export interface Service extends AsyncDisposable {
  url: string;
  /** The URL of health and metrics, if they have another port. */
  opsUrl?: string;
  /** How long a stop may take in all, in milliseconds; the process ends after that in any case. No limit if not given. */
  stopWithinMs?: number;
  /**
   * Finishes accepted work, then closes everything. Safe to call twice.
   *
   * @param hurry ends the drain delay when it fires
   */
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

/** @returns true if it stopped within its time */
async function stopInTime(service: Service, hurry: AbortSignal): Promise<boolean> {
  const stopped = service.stop(hurry).then(() => true);
  if (service.stopWithinMs === undefined) return stopped;
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(late.resolve, service.stopWithinMs, false);
  const isInTime = await Promise.race([stopped, late.promise]);
  clearTimeout(timer);
  return isInTime;
}

/**
 * Starts a service and stops it on SIGTERM, on SIGINT, and when a parent process that holds its IPC channel goes away. A service
 * that is not ready yet has accepted nothing, and ends at once. If a start or a stop fails, or a stop takes too long, the process
 * ends with code 1.
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
    if (!(await stopInTime(service, hurry))) throw new Error('the stop took too long: unfinished work is given up');
    process.exit(0);
  } catch (error) {
    logger.fatal({ error: error instanceof Error ? error.message : String(error) }, 'cannot go on');
    process.exit(1);
  }
}

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
