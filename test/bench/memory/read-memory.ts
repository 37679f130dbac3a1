import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { MemoryReport } from './report-memory.ts';

/** Node's flags for a service that {@link readMemory} may ask. */
export const memoryFlags: readonly string[] = ['--expose-gc', '--import', `${import.meta.dirname}/report-memory.ts`];

/** What a service holds when all garbage is collected, in bytes. */
export async function readMemory(child: ChildProcess): Promise<MemoryReport> {
  const answer = once(child, 'message');
  child.send({ reportMemory: true });
  const [report] = (await answer) as [MemoryReport];
  return report;
}
