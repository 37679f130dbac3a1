import { findOutlineFault } from './find-outline-fault.ts';
import { JsonError } from './json-error.ts';
import { hasMoreBrackets } from './nests-deeper-than.ts';

/** Far deeper than what any agent, provider or tool writes, and far from where a parser or a walk that calls itself ends the process. */
export const maxJsonDepth = 512;

export interface JsonBounds {
  /** Objects and lists within each other; {@link maxJsonDepth} if not given. */
  maxDepth?: number;
}

/**
 * Parses JSON from outside: every text that this process has not written itself, even if one of our services wrote it.
 *
 * V8's parser crashed the process on broken JSON that nests about 10,000 deep, and much code that reads a parsed value recurses once a
 * level. So the depth is bounded before anything is parsed, and a text with more brackets than the bound must also close them. The
 * result is that of `JSON.parse`.
 *
 * @param source text, or bytes in UTF-8: invalid bytes read as U+FFFD, and a byte order mark is refused
 * @throws JsonError `too_deep` or `not_json`; it quotes nothing
 */
export function parseJson(source: string | Uint8Array, { maxDepth = maxJsonDepth }: JsonBounds = {}): unknown {
  const text = typeof source === 'string' ? source : decode(source);
  const fault = hasMoreBrackets(text, maxDepth) ? findOutlineFault(text, maxDepth) : null;
  if (fault !== null) throw new JsonError(fault);
  try {
    return JSON.parse(text);
  } catch (error) {
    // Only numbers are taken of the parser's message, which may quote the text.
    throw new JsonError('not_json', /\((line \d+ column \d+)\)$/.exec((error as Error).message)?.[1] ?? null);
  }
}

function decode(bytes: Uint8Array): string {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer.toString('utf8');
}
