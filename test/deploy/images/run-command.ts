import { execFile } from 'node:child_process';
import { workspaceFolder } from '../../workspace/run-tool.ts';

/** What a failed command printed last is what tells why. */
const tailLength = 3_000;

/**
 * Runs a program in the workspace's folder.
 *
 * @returns what it printed on standard output, without the space around it
 * @throws with its output when it fails or takes longer than `timeoutMs`
 */
export function runCommand(
  [program, ...args]: readonly [string, ...string[]],
  { env = {}, timeoutMs = 20 * 60_000 }: { env?: Record<string, string>; timeoutMs?: number } = {},
): Promise<string> {
  const options = {
    cwd: workspaceFolder,
    env: { ...process.env, ...env },
    timeout: timeoutMs,
    maxBuffer: 64 * 1024 * 1024,
  };
  return new Promise((resolve, reject) => {
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout.trim());
      const printed = `${stdout}\n${stderr}`.trim().slice(-tailLength);
      const shown = args.filter((arg) => !arg.includes('\n')).join(' ');
      reject(new Error(`${program} ${shown} failed\n${printed}`, { cause: error }));
    });
  });
}
