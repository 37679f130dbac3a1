export * from './escape-json.ts';
export * from './split-server-url.ts';
export * from './to-line-text.ts';
