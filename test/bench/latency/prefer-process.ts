import { setPriority } from 'node:os';

/** Lets a process go before others on its core: load that is sent late would be counted as the product's time. @returns whether we may */
export function preferProcess(pid: number): boolean {
  try {
    setPriority(pid, -5);
    return true;
  } catch {
    return false;
  }
}
