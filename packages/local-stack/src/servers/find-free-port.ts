import { randomInt } from 'node:crypto';
import { probePort } from './probe-port.ts';

/**
 * Below the ranges that Linux (from 32768) and macOS (from 49152) take source ports from. A client that retries a stopped
 * server's port from inside its own source range can end up connected to itself, and then holds the port.
 */
const lowest = 20_000;
const highest = 32_000;

/** A TCP port on 127.0.0.1 that nothing listens on at this moment. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(lowest, highest);
    try {
      await probePort(port, '127.0.0.1');
      return port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
}
