export * from './database.ts';
export * from './migrate.ts';
export * from './queries/make-partitions.ts';
export type { Schema } from './schema.ts';
