export * from './escape-json.ts';
export * from './hide-credentials.ts';
export * from './to-line-text.ts';
