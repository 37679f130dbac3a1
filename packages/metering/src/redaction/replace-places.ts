import type { Place } from './places.ts';

/** What is decided of a finding; each is asked once. @param isSigned nothing can stand in its place @param beside kinds that share its text */
export type Put = (kind: string, value: string, isSigned: boolean, beside: readonly string[]) => string | null;

function decide(place: Place, put: Put): string | null {
  const { kind, value, decided, isRest, isSigned = false, within } = place;
  if (decided.instead === undefined) decided.instead = put(kind, value, isSigned, decided.beside ?? []);
  const own = decided.instead === null || isSigned ? null : isRest ? '' : escapeFor(place, decided.instead);
  const other = within === undefined ? null : decide(within, put);
  return own ?? other;
}

/** Bytes of a text that are counted at once. */
const maxStep = 64 * 1024;

/**
 * Puts something in the place of findings; the rest stays as it is written. For `inTurns`: a large text would hold up everything else.
 * @param put null to leave one
 */
export function* replaceInSteps(bytes: Buffer, places: readonly Place[], put: Put): Generator<undefined, Buffer> {
  const pieces: Buffer[] = [];
  let [at, units, from] = [0, 0, 0];
  function* goTo(unit: number): Generator<undefined, number> {
    while (units < unit) {
      // A character has no more units than bytes, and none may be cut.
      let end = at + Math.min(unit - units, maxStep);
      while (((bytes[end] ?? 0) & 0xc0) === 0x80) end += 1;
      units += bytes.toString('utf8', at, end).length;
      at = end;
      yield;
    }
    return at;
  }
  for (const place of places) {
    const instead = decide(place, put);
    if (instead === null) continue;
    pieces.push(bytes.subarray(from, yield* goTo(place.start)), Buffer.from(instead));
    from = yield* goTo(place.end);
  }
  return from === 0 ? bytes : Buffer.concat([...pieces, bytes.subarray(from)]);
}

/** Of a short text. */
export function atOnce<Result>(work: Generator<undefined, Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** As a string of JSON has it, that stands in a string of JSON, and so on. */
function escapeFor({ depth, isBare }: Place, text: string): string {
  let written = isBare ? JSON.stringify(text) : text;
  for (let level = 0; level < depth; level++) written = JSON.stringify(written).slice(1, -1);
  return written;
}
