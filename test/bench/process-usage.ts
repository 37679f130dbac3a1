import { readFileSync } from 'node:fs';
import { listChildren } from '../../packages/local-stack/src/guard/watched-process.ts';

const ticksPerSecond = 100;

function readTicks(pid: number, first: number, last: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(first, last + 1).reduce((sum, field) => sum + Number(field), 0);
}

/** CPU time that a process has used so far, in seconds. Linux only. */
export function readCpu(pid: number): number {
  return readTicks(pid, 11, 12) / ticksPerSecond;
}

/** The same of a process, its children, and those of them that have ended: a Postgres is many processes. */
export function readTreeCpu(pid: number): number {
  const children = listChildren(pid).map((child) => {
    try {
      return readCpu(child);
    } catch {
      return 0; // It ended in between, and counts with its parent the next time.
    }
  });
  return children.reduce((sum, cpu) => sum + cpu, readTicks(pid, 11, 14) / ticksPerSecond);
}

/** Memory that a process holds at the moment, in bytes: what a container's limit is held against. Linux only. */
export function readResident(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}
