import type { Logger } from '../logs/logger.ts';

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
