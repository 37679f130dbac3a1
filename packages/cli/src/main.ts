import { runProgram } from './program.ts';

// The reader may close the pipe: `agp events list | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

process.exitCode = await runProgram(process.argv.slice(2), process.env);
