import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Files and sockets that a proxy has open beside its streams. */
const others = 500;

/**
 * Lets this process, and those that it starts from now on, have as many sockets open as streams need: two each, in the proxy.
 *
 * @returns how many streams can be open at once: fewer where the system does not allow more files
 */
export function fitStreams(count: number): number {
  if (process.platform !== 'linux') return count;
  const [, hard = '0'] = /^Max open files\s+\d+\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  const needed = 2 * count + others;
  if (Number(hard) >= needed) return count;
  try {
    execFileSync('prlimit', ['--pid', String(process.pid), `--nofile=${needed}:${needed}`], { stdio: 'ignore' });
    return count;
  } catch {
    const most = Math.floor((Number(hard) - others) / 2);
    console.log(`${count} streams need ${needed} open files, and ${hard} are allowed (ulimit -Hn): ${most} streams`);
    return most;
  }
}
