import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Listens on a port for a moment. Rejects if that is impossible; port 0 always works. */
export async function probePort(port: number, host: string): Promise<void> {
  const probe = createServer();
  probe.listen(port, host);
  await once(probe, 'listening');
  probe.close();
  await once(probe, 'close');
}

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
