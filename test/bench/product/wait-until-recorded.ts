import { setTimeout as sleep } from 'node:timers/promises';
import { type BusConnection, readBacklog } from '@agp/bus';

/** Longer than proxies gather events before they send them. */
const settleMs = 50;
const limitMs = 120_000;

/** Waits until writers have recorded all that proxies have sent. Rejects after two minutes. */
export async function waitUntilRecorded(connection: BusConnection): Promise<void> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    await sleep(settleMs);
    const { pending, unacknowledged } = await readBacklog(connection);
    if (pending + unacknowledged === 0) return;
    if (performance.now() > deadline) throw new Error(`${pending} messages were not recorded within two minutes`);
  }
}
