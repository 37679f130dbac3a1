import type { ServiceProcess } from '../../system/start-processes.ts';
import { type ServiceName, waitFor } from '../../system/start-system.ts';
import type { Balancer } from './start-balancer.ts';

/** A replica of a service, and the balancer before it; the writer has none. */
export interface Replica {
  name: ServiceName;
  process: ServiceProcess;
  balancer?: Balancer;
}

/**
 * Starts a replica's successor, and when that one is ready stops the replica, as a rolling update does.
 *
 * @param isTold the balancer sends nothing more to the replica before it is stopped, and does not find out by itself
 */
export async function replaceProcess(
  start: (name: ServiceName) => Promise<ServiceProcess>,
  { name, process, balancer }: Replica,
  isTold: boolean,
): Promise<ServiceProcess> {
  const successor = await start(name);
  await waitFor('the successor to be ready', async () => (await fetch(`${successor.opsUrl}/readyz`)).status === 200);
  balancer?.add(successor);
  if (balancer) await waitFor('the balancer to see it', () => balancer.isReady(successor));
  if (isTold) balancer?.remove(process);
  await process.stop();
  if (!isTold) balancer?.remove(process);
  return successor;
}
