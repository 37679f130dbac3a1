export { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
export * from './config-fields.ts';
export * from './http-server.ts';
export * from './load-config.ts';
export * from './logger.ts';
export * from './ops-server.ts';
export * from './readiness.ts';
export * from './run-until-signal.ts';
