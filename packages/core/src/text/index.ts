export * from './escape-json.ts';
export * from './to-line-text.ts';
