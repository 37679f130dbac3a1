import { toLinesText } from '@agp/core/text';
import { CommanderError } from 'commander';
import { CliError } from './cli-error.ts';
import { createProgram } from './create-program.ts';

// Whoever reads us may have had enough: `agp events list | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

try {
  await createProgram(process.env).parseAsync();
} catch (error) {
  // Commander has told what was wrong, or shown the help that was asked for.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else if (error instanceof CliError) {
    console.error(toLinesText(error.message));
    process.exitCode = error.exitCode;
  } else throw error;
}
