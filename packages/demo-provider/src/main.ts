import { createLogger, loadConfig, portField, runUntilSignal } from '@agp/runtime';
import { z } from 'zod';
import { startDemoProvider } from './start-demo-provider.ts';

const configSchema = z.object({ host: z.string().default('127.0.0.1'), port: portField.default(0) });

await runUntilSignal(
  () => startDemoProvider(loadConfig(configSchema, process.env)),
  createLogger('demo-provider', 'warn'),
);
