import { toLinesText } from '@agp/core/text';
import { CommanderError } from 'commander';
import { CliError } from './cli-error.ts';
import { createProgram } from './create-program.ts';

/** Runs one command line. @returns the exit code: 0 done, 1 refused or failed, 2 wrong usage */
export async function runProgram(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  try {
    await createProgram(environment).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has already printed what was wrong, or the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (!(error instanceof CliError)) throw error;
    process.stderr.write(`${toLinesText(error.message)}\n`);
    return error.exitCode;
  }
}
