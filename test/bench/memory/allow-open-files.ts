import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Lets this process, and those that it starts from now on, have so many files and sockets open. Throws where the system forbids that. */
export function allowOpenFiles(count: number): void {
  if (process.platform !== 'linux') return;
  const [, hard = '0'] = /^Max open files\s+\d+\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  const limit = Math.max(count, Number(hard));
  try {
    execFileSync('prlimit', ['--pid', String(process.pid), `--nofile=${limit}:${limit}`], { stdio: 'pipe' });
  } catch (error) {
    throw new Error(`${count} open files are needed (ulimit -Hn is ${hard}): fewer streams, or a higher limit`, {
      cause: error,
    });
  }
}
