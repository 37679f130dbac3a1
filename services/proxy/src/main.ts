import { createLogger, runUntilSignal } from '@agp/runtime';
import { loadProxyConfig } from './config.ts';
import { startProxy } from './start-proxy.ts';

await runUntilSignal(() => startProxy(loadProxyConfig(process.env)), createLogger('proxy', 'info'));
