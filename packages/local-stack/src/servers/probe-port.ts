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
