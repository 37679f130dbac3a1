import { tryParse } from './try-parse.ts';

/**
 * A frame's data as JSON; null where it is none.
 *
 * @param data UTF-8 with each byte as one character (latin1)
 */
export const parseFrame = (data: string): unknown => tryParse(Buffer.from(data, 'latin1')) ?? null;
