export * from './grants.ts';
export * from './privileges.ts';
