export * from './create-response-tap.ts';
export { canDecode } from './decoding-tap.ts';
export * from './inspection-memory.ts';
export type { ResponseReading, ResponseTap } from './readers/response-reading.ts';
export * from './usage-frames/splice-stream-usage.ts';
export * from './usage-frames/stream-usage-stripper.ts';
