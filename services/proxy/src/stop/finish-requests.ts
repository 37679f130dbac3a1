import type { Outbox } from '@agp/bus';
import { type HttpServer, type Logger, type Readiness, waitForDrain } from '@agp/runtime';
import type { ProxyConfig } from '../config.ts';
import type { RunningRequests } from './running-requests.ts';

interface Finishing {
  config: ProxyConfig;
  logger: Logger;
  outbox: Outbox;
  load: { running: number };
  runningRequests: RunningRequests;
}

/** In milliseconds, for the error that ends an overdue stream. */
const lastWordsMs = 2_000;
/** In milliseconds, to meter the ended requests and publish their events; within `stopMarginMs`. */
const handOverMs = 6_000;

/**
 *   drain delay            | grace                       | hand-over
 *   unready, still serving | port closed, answers finish | overdue answers ended, events handed over
 *
 * Each part ends early if there is nothing to wait for, and the drain delay also with `hurry`.
 */
export async function finishRequests(
  { config, logger, outbox, load, runningRequests }: Finishing,
  readiness: Readiness,
  http: HttpServer,
  hurry?: AbortSignal,
): Promise<void> {
  readiness.drain();
  http.drain();
  await waitForDrain(config.drainDelaySeconds, hurry);
  const graceMs = config.shutdownGraceSeconds * 1_000;
  const endsAt = performance.now() + graceMs + handOverMs;
  const overdue = setTimeout(() => {
    const ended = runningRequests.stopAll();
    if (ended > 0) logger.warn({ ended }, 'requests outlived SHUTDOWN_GRACE_SECONDS and were ended');
  }, graceMs);
  await http.stop(graceMs + lastWordsMs);
  clearTimeout(overdue);
  while (load.running > 0 && performance.now() < endsAt) await new Promise((resolve) => setTimeout(resolve, 10));
  const left = await outbox.drain(Math.max(0, endsAt - performance.now()));
  if (left > 0) logger.error({ left }, 'events were lost: JetStream did not confirm them before the end');
}
