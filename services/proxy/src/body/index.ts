export * from './body-buffer.ts';
export * from './body-memory.ts';
export * from './watch-pace.ts';
