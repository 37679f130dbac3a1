export * from './role-urls.ts';
