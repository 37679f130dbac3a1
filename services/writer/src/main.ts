import { createLogger, loadConfig, runUntilSignal } from '@agp/runtime';
import { writerConfigSchema } from './config.ts';
import { startWriter } from './start-writer.ts';

await runUntilSignal(() => startWriter(loadConfig(writerConfigSchema, process.env)), createLogger('writer', 'info'));
