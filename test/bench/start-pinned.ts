import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { serviceFlags } from '@agp/local-stack';

/** Whether processes can be held on a core here. */
export const canPin = process.platform === 'linux';

/** Moves this process, and all that it starts from now on, to a core. */
export function pinSelf(core: number): void {
  if (canPin) execFileSync('taskset', ['-a', '-cp', String(core), String(process.pid)], { stdio: 'ignore' });
}

/**
 * Starts a script as services are started. Resolves once it has told its URL.
 *
 * @param core where it runs; null leaves it where this process is
 * @param flags further ones for Node
 */
export async function startPinned(
  file: string,
  environment: NodeJS.ProcessEnv,
  core: number | null = 0,
  flags: readonly string[] = [],
): Promise<{ child: ChildProcess; url: string; opsUrl: string }> {
  const node = [process.execPath, ...serviceFlags, ...flags, file];
  const command = canPin && core !== null ? ['taskset', '-c', String(core), ...node] : node;
  const child = spawn(command[0] as string, command.slice(1), {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const gone = once(child, 'exit').then(([code]) => {
    throw new Error(`${file} ended with code ${code} before it told its URL`);
  });
  // It ends later in the usual way.
  gone.catch(() => {});
  const [{ url, opsUrl = url }] = (await Promise.race([once(child, 'message'), gone])) as [
    { url: string; opsUrl?: string },
  ];
  return { child, url, opsUrl };
}
