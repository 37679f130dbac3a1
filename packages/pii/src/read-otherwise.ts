import type { Rewritten } from './text/rewriting.ts';
import { mayBeMasked, readTags, unmask } from './text/unmask.ts';

/** Escapes may contain escapes: a text is decoded at most this often. */
const maxReadings = 2;

/** What else a text may say to people and models. It is searched as written too: characters removed from it may separate words. */
export function* readOtherwise(text: string): Generator<Rewritten> {
  if (!mayBeMasked.test(text)) return;
  const tags = readTags(text);
  if (tags) yield tags;
  let outer: Rewritten | null = null;
  for (let times = 0; times < maxReadings; times++) {
    const inner = unmask(outer ? outer.value : text);
    if (inner === null) return;
    outer = outer ? chain(outer, inner) : inner;
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
