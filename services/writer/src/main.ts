import { createLogger, loadConfig, runUntilSignal, warnOfStrangeVariables } from '@agp/runtime';
import { writerConfigSchema } from '@agp/settings';
import { startWriter } from './start-writer.ts';

const logger = createLogger('writer', 'info');
warnOfStrangeVariables(process.env, logger);
await runUntilSignal(() => startWriter(loadConfig(writerConfigSchema, process.env)), logger);
