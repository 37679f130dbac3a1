import { createLogger, loadConfig, runUntilSignal } from '@agp/runtime';
import { writerConfigSchema } from './config.ts';
import { startWriter } from './start-writer.ts';

const config = loadConfig(writerConfigSchema, process.env);
const logger = createLogger('writer', config.logLevel);
await runUntilSignal(() => startWriter(config, { logger }), logger);
