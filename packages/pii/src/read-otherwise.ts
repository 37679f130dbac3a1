import type { Rewritten } from './text/rewriting.ts';
import { mayBeMasked, readTags, unmask } from './text/unmask.ts';

/** Escapes may contain escapes: a text is decoded at most this often. */
const maxReadings = 2;

/** What may go on to read otherwise: escapes, a terminal's colour, emphasis or a long dash behind a digit, half a character. */
const cutMask =
  /(?:&(?:#(?:[Xx][\dA-Fa-f]{0,6}|\d{0,7})|[a-z]{0,6});?|(?:%[\dA-Fa-f]{0,2}){1,4}|\\{1,16}(?:u(?:[\dA-Fa-f]{0,4}|\{[\dA-Fa-f]{0,6}\}?)|x[\dA-Fa-f]{0,2}|[nrt])?|[^\P{Cc}\t-\r\x85](?:\[[\d;]{0,20})?|(?<=\d[ .-]?)(?:[*_~`]{1,3}|<\/?[a-z]{0,6}>?)[ .-]?|[\u2014\u2015\ud800-\udbff])$/u;
const longestMask = 32;

function dropCut(text: string): string {
  const at = text.slice(-longestMask).search(cutMask);
  return at < 0 ? text : text.slice(0, Math.max(0, text.length - longestMask) + at);
}

/**
 * What else a text may say to people and models. It is searched as written too: characters removed from it may separate words.
 *
 * @param goesOn readings are those of the text's beginning that more text does not change
 */
export function* readOtherwise(text: string, goesOn = false): Generator<Rewritten> {
  if (!mayBeMasked.test(text)) return;
  const tags = readTags(goesOn ? dropCut(text) : text);
  if (tags) yield tags;
  let outer: Rewritten = { value: text, toOriginal: (start, end) => ({ start, end }) };
  for (let times = 0; times < maxReadings; times++) {
    const value = goesOn ? dropCut(outer.value) : outer.value;
    const inner = unmask(value);
    if (inner === null && value === outer.value) return;
    outer = inner ? chain(outer, inner) : { ...outer, value };
    yield outer;
  }
}

function chain(outer: Rewritten, inner: Rewritten): Rewritten {
  return {
    value: inner.value,
    toOriginal: (start, end) => {
      const between = inner.toOriginal(start, end);
      return outer.toOriginal(between.start, between.end);
    },
  };
}
