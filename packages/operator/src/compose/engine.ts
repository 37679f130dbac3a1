import { spawn } from 'node:child_process';
import { CommandError } from '../run-command.ts';

/** Docker and Compose, for one project. Each call resolves with what the program printed, without the space around it. */
export interface Engine {
  docker(...args: string[]): Promise<string>;
  compose(...args: string[]): Promise<string>;
}

/** What a failed command said last tells why, in UTF-16 units. */
const tailLength = 2_000;

/**
 * The engine that the `docker` on the path talks to.
 *
 * @param options for Compose: its files, project and profiles
 */
export const findEngine = (options: readonly string[]): Engine => ({
  docker: (...args) => runProgram('docker', args),
  compose: (...args) => runProgram('docker', ['compose', ...options, ...args]),
});

/** @throws CommandError with what the program said, if it cannot be run or fails */
function runProgram(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let printed = '';
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk));
    child.stderr.on('data', (chunk: Buffer) => (said = (said + chunk).slice(-tailLength)));
    child.once('error', (error) => reject(new CommandError(`cannot run ${program}: ${error.message}`)));
    child.once('close', (code, signal) => {
      if (code === 0) return resolve(printed.trim());
      reject(
        new CommandError(`${program} ${args.join(' ')} ended with ${signal ?? code}:\n${(said || printed).trim()}`),
      );
    });
  });
}
