export * from './privileges.ts';
export * from './render-grants.ts';
