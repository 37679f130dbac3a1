import { createLogger, loadConfig, runUntilSignal } from '@agp/runtime';
import { managementConfigSchema } from './config.ts';
import { startManagement } from './start-management.ts';

await runUntilSignal(
  () => startManagement(loadConfig(managementConfigSchema, process.env)),
  createLogger('management', 'info'),
);
