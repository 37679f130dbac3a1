import { tryParse } from './try-parse.ts';

/**
 * A frame's data as JSON; null if it is not JSON.
 *
 * @param data UTF-8 with each byte as one character (latin1)
 */
export const parseFrame = (data: string): unknown => tryParse(Buffer.from(data, 'latin1')) ?? null;
