import type { Logger } from '../logs/logger.ts';

/** A running service. */
export interface Service extends AsyncDisposable {
  url: string;
  /** Where health and metrics are, if that is another port. */
  opsUrl?: string;
  /** How long a stop may take in all, in milliseconds; the process ends then, whatever is left. No bound if it is not given. */
  stopWithinMs?: number;
  /**
   * Finishes what was accepted, then lets go of everything. Safe to call twice.
   *
   * @param hurry ends the drain delay, once it fires
   */
  stop(hurry?: AbortSignal): Promise<void>;
}

const signals = ['SIGTERM', 'SIGINT', 'disconnect'] as const;

/** The first signal is to stop, and the second to hurry; what comes then changes nothing, since the stop is bounded. */
function followSignals(): { stop: Promise<null>; hurry: AbortSignal } {
  const { promise, resolve } = Promise.withResolvers<null>();
  const hurry = new AbortController();
  let isTold = false;
  for (const signal of signals)
    process.on(signal, () => {
      if (isTold) hurry.abort();
      isTold = true;
      resolve(null);
    });
  return { stop: promise, hurry: hurry.signal };
}

/** @returns whether it was through in its time */
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
 * Starts a service and stops it on SIGTERM, on SIGINT, and when the parent process that holds its IPC channel
 * goes away; one that is not ready yet has accepted nothing, and ends at once. A start or a stop that fails ends the
 * process with code 1, and so does a stop that takes too long.
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
    if (!(await stopInTime(service, hurry))) throw new Error('the stop took too long: what was left is given up');
    process.exit(0);
  } catch (error) {
    logger.fatal({ error: error instanceof Error ? error.message : String(error) }, 'cannot go on');
    process.exit(1);
  }
}
