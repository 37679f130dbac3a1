import { vi } from 'vitest';

let runs = 0;

/**
 * Runs a file that is a command within this process, with these arguments and variables and no others: a process of its own costs half a
 * second of CPU time more. One at a time.
 */
export async function runCommandWithin(
  file: string,
  args: readonly string[] = [],
  variables: Record<string, string> = {},
): Promise<{ status: number; stdout: string; stderr: string }> {
  const before = { argv: process.argv, env: process.env, exitCode: process.exitCode };
  const printed = { stdout: '', stderr: '' };
  const out = vi.spyOn(console, 'log').mockImplementation((text) => {
    printed.stdout += `${text}\n`;
  });
  const error = vi.spyOn(console, 'error').mockImplementation((text) => {
    printed.stderr += `${text}\n`;
  });
  process.argv = [process.execPath, file, ...args];
  process.env = { ...variables };
  process.exitCode = 0;
  runs += 1;
  try {
    // A command runs when it is loaded: each time under another name, while what it imports stays loaded.
    await import(/* @vite-ignore */ `${file}?run=${runs}`);
    return { status: Number(process.exitCode), ...printed };
  } finally {
    Object.assign(process, before);
    out.mockRestore();
    error.mockRestore();
  }
}

/** Variables for a process that a test starts: these alone, the paths of programs, and the cache of compiled code. */
export function childEnvironment(variables: Record<string, string> = {}): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  return { PATH, NODE_COMPILE_CACHE, ...variables };
}
