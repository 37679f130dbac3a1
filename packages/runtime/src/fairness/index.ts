export * from './coalesce.ts';
export * from './fair-queue.ts';
export * from './fair-shares.ts';
export * from './groups.ts';
export * from './turns.ts';
