import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessSystem, ServiceProcess } from '../../system/start-processes.ts';
import { type ServiceName, waitFor } from '../../system/start-system.ts';
import type { Balancer } from './start-balancer.ts';

/** A replica of a service, and the balancer before it; the writer has none. */
export interface Replica {
  name: ServiceName;
  process: ServiceProcess;
  balancer?: Balancer;
}

/** Starts a replica's successor, and when that one is ready stops the replica, as a rolling update does. */
export async function replaceProcess(
  system: ProcessSystem,
  { name, process, balancer }: Replica,
): Promise<ServiceProcess> {
  const successor = await system.start(name);
  await waitFor('the successor to be ready', async () => (await fetch(`${successor.opsUrl}/readyz`)).status === 200);
  balancer?.add(successor);
  if (balancer) await waitFor('the balancer to see it', () => balancer.isReady(successor));
  await sleep(300);
  await process.stop();
  balancer?.remove(process);
  return successor;
}
