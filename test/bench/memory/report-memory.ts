/*
 * Loaded before a service, with `--expose-gc`: collects all garbage when its parent asks for that, and says what is left.
 */

import { writeHeapSnapshot } from 'node:v8';

/** What a process holds after a collection, in bytes. */
export interface MemoryReport {
  heap: number;
  /** Buffers and the like, outside the heap. */
  external: number;
  resident: number;
}

process.on('message', (order: { reportMemory?: true; snapshotTo?: string }) => {
  if (order.snapshotTo) process.send?.({ snapshot: writeHeapSnapshot(order.snapshotTo) });
  if (!order.reportMemory) return;
  // Twice: what the first finds dead may hold on to more until its finalizers have run.
  globalThis.gc?.();
  setImmediate(() => {
    globalThis.gc?.();
    const { heapUsed, external, rss } = process.memoryUsage();
    process.send?.({ heap: heapUsed, external, resident: rss } satisfies MemoryReport);
  });
});
// The service ends as it would without this.
process.channel?.unref();
