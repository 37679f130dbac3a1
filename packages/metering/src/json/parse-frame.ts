import { tryParse } from './try-parse.ts';

/** @param data UTF-8 with each byte as one character (latin1) */
export const decodeFrame = (data: string): string => Buffer.from(data, 'latin1').toString('utf8');

/**
 * A frame's data as JSON; null if it is not JSON.
 *
 * @param data UTF-8 with each byte as one character (latin1)
 */
export const parseFrame = (data: string): unknown => tryParse(Buffer.from(data, 'latin1')) ?? null;
