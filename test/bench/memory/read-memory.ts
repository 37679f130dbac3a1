import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { MemoryReport } from './report-memory.ts';

/** Node's flags for a service that {@link readMemory} may ask. */
export const memoryFlags: readonly string[] = ['--expose-gc', '--import', `${import.meta.dirname}/report-memory.ts`];

/** Writes all that a service holds to a file, which Chrome's developer tools open and compare with another. The service stands still meanwhile. */
export async function writeSnapshot(child: ChildProcess, file: string): Promise<void> {
  const answer = once(child, 'message');
  child.send({ snapshotTo: file });
  await answer;
}

/** What a service holds when all garbage is collected, in bytes. */
export async function readMemory(child: ChildProcess): Promise<MemoryReport> {
  const answer = once(child, 'message');
  child.send({ reportMemory: true });
  const [report] = (await answer) as [MemoryReport];
  return report;
}
