import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { childEnvironment } from '@agp/testing';
import { vi } from 'vitest';
import { runProgram } from '../../packages/cli/src/program.ts';
import { workspaceFolder } from '../workspace/run-tool.ts';

export interface CliRun {
  code: number;
  stdout: string;
  stderr: string;
}

const main = join(workspaceFolder, 'packages/cli/src/main.ts');
/** What `npm run agp` loads before it. */
const offer = join(workspaceFolder, 'packages/local-stack/src/launch/offer-local-stack.ts');

/** Runs a command line of the CLI within this process, with these variables and no others. One at a time. */
export async function runCli(args: readonly string[], environment: Record<string, string>): Promise<CliRun> {
  const run = { code: -1, stdout: '', stderr: '' };
  const writers = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      run[name] += text;
      return true;
    }),
  );
  try {
    return Object.assign(run, { code: await runProgram(args, environment) });
  } finally {
    for (const writer of writers) writer.mockRestore();
  }
}

/** Starts the CLI as a process of its own, with these variables and no others. */
export function startCli(
  args: readonly string[],
  environment: Record<string, string>,
  options: { withLocalStack?: boolean; input?: string } = {},
): { child: ChildProcessWithoutNullStreams; run: CliRun; ended: Promise<CliRun> } {
  const flags = options.withLocalStack ? ['--import', offer] : [];
  const child = spawn(process.execPath, [...flags, main, ...args], {
    env: childEnvironment(environment),
  });
  child.stdin.end(options.input);
  const run = { code: -1, stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (run.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (run.stderr += text));
  const ended = once(child, 'close').then(([code]) => Object.assign(run, { code: code as number }));
  return { child, run, ended };
}
