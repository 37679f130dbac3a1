import { createLogger, loadConfig, runUntilSignal } from '@agp/runtime';
import { managementConfigSchema } from './config.ts';
import { startManagement } from './start-management.ts';

const logger = createLogger('management', process.env.LOG_LEVEL ?? 'info');
await runUntilSignal(() => startManagement(loadConfig(managementConfigSchema, process.env), { logger }), logger);
