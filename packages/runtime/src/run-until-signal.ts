import type { Logger } from './logger.ts';

/** A running service. */
export interface Service extends AsyncDisposable {
  url: string;
  /** Where health and metrics are, if that is another port. */
  opsUrl?: string;
  /** Finishes what was accepted, then lets go of everything. Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Starts a service and stops it on SIGTERM, on SIGINT, and when the parent process that holds its IPC channel
 * goes away. A start or a stop that fails ends the process with code 1.
 */
export async function runUntilSignal(start: () => Promise<Service>, logger: Logger): Promise<void> {
  try {
    const service = await start();
    process.send?.({ ready: true, url: service.url, opsUrl: service.opsUrl ?? service.url });
    await new Promise<void>((resolve) => {
      for (const signal of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.once(signal, () => resolve());
    });
    logger.info('stopping');
    await service.stop();
    process.exit(0);
  } catch (error) {
    logger.fatal({ error: error instanceof Error ? error.message : String(error) }, 'cannot go on');
    process.exit(1);
  }
}
