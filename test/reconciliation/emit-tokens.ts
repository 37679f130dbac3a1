import { decode, encode } from 'gpt-tokenizer/encoding/o200k_base';
import { corpus } from './corpus.ts';

/** A piece of a text, as a model emits it. */
export interface Piece {
  text: string;
  tokens: number;
}

/** Numbers from 0 up to, but not including, a bound. The same seed gives the same numbers. */
export type Random = (bound: number) => number;

/** Mulberry32: small, and good enough to vary test data. */
export function createRandom(seed: number): Random {
  let state = seed;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
  };
}

const source = encode(corpus);

/** Emits a number of pieces of 1 to 4 tokens. A character of several tokens stays in one piece. */
export function emitPieces(random: Random, count: number): Piece[] {
  const pieces: Piece[] = [];
  let at = random(source.length);
  while (pieces.length < count) {
    let tokens = 1 + random(4);
    if (at + tokens > source.length) at = 0;
    while (decode(source.slice(at, at + tokens)).includes('\uFFFD') && at + tokens < source.length) tokens += 1;
    const text = decode(source.slice(at, at + tokens));
    at += tokens;
    if (!text.includes('\uFFFD')) pieces.push({ text, tokens });
  }
  return pieces;
}

/**
 * Tokens of a text, as the simulated providers count: all of them with the encoding that the proxy estimates most models
 * with. So a difference is text that was missed or counted twice, not another vendor's tokenizer.
 */
export const countTokens = (text: string): number => encode(text).length;
