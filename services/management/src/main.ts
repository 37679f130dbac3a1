import { createLogger, loadConfig, runUntilSignal, warnOfStrangeVariables } from '@agp/runtime';
import { managementConfigSchema } from '@agp/settings';
import { startManagement } from './start-management.ts';

const logger = createLogger('management', 'info');
warnOfStrangeVariables(process.env, logger);
await runUntilSignal(
  () => startManagement(loadConfig(managementConfigSchema, process.env), { environment: process.env }),
  logger,
);
