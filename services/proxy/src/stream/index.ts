export * from './create-response-tap.ts';
export { canDecode } from './decoding-tap.ts';
export * from './inspection-memory.ts';
export type { ResponseReading, ResponseTap } from './response-reading.ts';
export * from './splice-stream-usage.ts';
export * from './stream-usage-stripper.ts';
