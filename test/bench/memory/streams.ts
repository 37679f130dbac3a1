import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { readMetric } from '../../system/read-metric.ts';
import { OpenStreams } from '../open-streams.ts';
import type { StartedProcess } from '../processes.ts';
import { readMemory } from './read-memory.ts';

const holdMs = 5_000;
/** It searches all of them for personal data first. */
const endLimitMs = 120_000;

const toMb = (bytes: number) => (bytes / 1024 ** 2).toFixed(0);

async function waitUntilEnded(proxy: StartedProcess): Promise<void> {
  const deadline = performance.now() + endLimitMs;
  while ((await readMetric(proxy, 'agp_proxy_running_requests')) !== 0) {
    if (performance.now() > deadline) throw new Error('the proxy still has streams whose callers have left');
    await sleep(500);
  }
}

/** Opens many streams, holds them, and ends them. Prints what the proxy holds before, with them, and after. */
export async function measureOpenStreams(proxy: StartedProcess, count: number): Promise<void> {
  const before = await readMemory(proxy.child);
  const streams = new OpenStreams(`${proxy.url}/openai/v1/chat/completions`, { agents: 1_000, pauseMs: 5_000 });
  try {
    await streams.open(count);
    await sleep(holdMs);
    streams.check();
    const open = await readMemory(proxy.child);
    const perStream = (open.resident - before.resident) / count / 1024;
    streams[Symbol.dispose]();
    await waitUntilEnded(proxy);
    const after = await readMemory(proxy.child);
    console.log(
      `${String(count).padStart(6)} open streams: resident ${toMb(before.resident)} -> ${toMb(open.resident)} MiB, ${perStream.toFixed(0)} KiB a stream; ` +
        `heap ${toMb(before.heap)} -> ${toMb(open.heap)} -> ${toMb(after.heap)} MiB once they have ended`,
    );
  } finally {
    streams[Symbol.dispose]();
  }
}

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
