import { toLinesText } from '@agp/core/text';
import { CommanderError } from 'commander';
import { CliError } from './cli-error.ts';
import { createProgram } from './create-program.ts';

// The reader may close the pipe: `agp events list | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

try {
  await createProgram(process.env).parseAsync();
} catch (error) {
  // Commander has printed the error, or the help.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else if (error instanceof CliError) {
    console.error(toLinesText(error.message));
    process.exitCode = error.exitCode;
  } else throw error;
}
