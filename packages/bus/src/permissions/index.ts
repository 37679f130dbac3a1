export * from './permissions.ts';
export * from './render-nats-config.ts';
