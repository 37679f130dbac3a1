import * as cl100k from 'gpt-tokenizer/encoding/cl100k_base';
import * as o200k from 'gpt-tokenizer/encoding/o200k_base';
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

/**
 * The encoding of a model: the older one for GPT-3.5, and for all others that which the proxy counts most models with too.
 * So a difference is text that was missed or counted twice, not another vendor's tokenizer.
 */
function chooseEncoding(model: string) {
  return model.startsWith('gpt-3.5') ? cl100k : o200k;
}

const sources = new Map([cl100k, o200k].map((encoding) => [encoding, encoding.encode(corpus)]));

/** Emits a number of pieces of 1 to 4 tokens. A character of several tokens stays in one piece. */
export function emitPieces(random: Random, model: string, count: number): Piece[] {
  const encoding = chooseEncoding(model);
  const source = sources.get(encoding) ?? [];
  const pieces: Piece[] = [];
  let at = random(source.length);
  while (pieces.length < count) {
    if (at + 4 > source.length) at = 0;
    let tokens = 1 + random(4);
    let text = encoding.decode(source.slice(at, at + tokens));
    while (text.includes('\uFFFD')) {
      tokens += 1;
      text = encoding.decode(source.slice(at, at + tokens));
    }
    at += tokens;
    pieces.push({ text, tokens });
  }
  return pieces;
}

/** Tokens of a text, as the simulated provider counts. */
export const countTokens = (model: string, text: string): number => chooseEncoding(model).encode(text).length;
