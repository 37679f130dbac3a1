import { createLogger, runUntilSignal, warnOfStrangeVariables } from '@agp/runtime';
import { loadProxyConfig } from './config.ts';
import { startProxy } from './start-proxy.ts';

const logger = createLogger('proxy', 'info');
warnOfStrangeVariables(process.env, logger);
await runUntilSignal(() => startProxy(loadProxyConfig(process.env)), logger);
