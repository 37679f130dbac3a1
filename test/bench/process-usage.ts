import { readFileSync } from 'node:fs';

const ticksPerSecond = 100;

/** CPU time that a process has used so far, in seconds. Linux only. */
export function readCpu(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Memory that a process holds at the moment, in bytes: what a container's limit is held against. Linux only. */
export function readResident(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}
