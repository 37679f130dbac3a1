import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { listChildren } from '../../../packages/local-stack/src/guard/watched-process.ts';
import { readTreeCpu } from '../processes.ts';
import { findServers } from '../product.ts';

/** What a process with its children has done so far. */
export interface Work {
  /** CPU, in seconds. */
  cpu: number;
  /** Times that one of its threads slept until something came. */
  wakeUps: number;
  /** Reads and writes that it asked the kernel for, on sockets too. */
  calls: number;
}

const readField = (file: string, name: string) =>
  Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(readFileSync(file, 'latin1'))?.[1] ?? 0);

function readOne(pid: number): Omit<Work, 'cpu'> {
  try {
    const threads = readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}/status`);
    return {
      wakeUps: threads.reduce((sum, file) => sum + readField(file, 'voluntary_ctxt_switches'), 0),
      calls: readField(`/proc/${pid}/io`, 'syscr') + readField(`/proc/${pid}/io`, 'syscw'),
    };
  } catch {
    return { wakeUps: 0, calls: 0 }; // It has ended.
  }
}

/** Watches services, and the servers that this process has started. @returns reads what each has done. Linux only */
export function watchWork(services: Record<string, ChildProcess>): () => Record<string, Work> {
  const parts = [
    ...Object.entries(services).map(([name, { pid }]) => [name, pid as number] as const),
    ...findServers(),
  ];
  return () =>
    Object.fromEntries(
      parts.map(([name, pid]) => {
        const each = [pid, ...listChildren(pid)].map(readOne);
        const sum = (of: keyof Omit<Work, 'cpu'>) => each.reduce((all, one) => all + one[of], 0);
        return [name, { cpu: readTreeCpu(pid), wakeUps: sum('wakeUps'), calls: sum('calls') }];
      }),
    );
}

/** The steps of requests, of `agp_proxy_step_seconds`: each with how often it was taken, and the seconds of all. */
export async function readSteps(opsUrl: string): Promise<Map<string, { seconds: number; count: number }>> {
  const text = await (await fetch(`${opsUrl}/metrics`)).text();
  const steps = new Map<string, { seconds: number; count: number }>();
  for (const [, kind, step, value] of text.matchAll(/^agp_proxy_step_seconds_(sum|count)\{step="(\w+)"\} (\S+)$/gm)) {
    const known = steps.get(step as string) ?? { seconds: 0, count: 0 };
    steps.set(step as string, { ...known, [kind === 'sum' ? 'seconds' : 'count']: Number(value) });
  }
  return steps;
}
