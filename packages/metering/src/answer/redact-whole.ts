import { inTurns } from '@agp/runtime/fairness';
import { addReplacements, isCheckable, listTexts, numberTexts } from '../redaction/checked-texts.ts';
import { clip } from '../redaction/places.ts';
import type { Redactor } from '../redaction/redaction.ts';
import { atOnce, replaceInSteps } from '../redaction/replace-places.ts';
import type { FoundInBytes } from '../redaction/search-bytes.ts';
import type { Redact } from './answer-gate.ts';
import type { AnswerKind } from './answer-kind.ts';
import { nothing } from './reading.ts';

/** @param mayBeText what is no JSON is one text */
export type SearchAnswer = (
  redactor: Redactor,
  bytes: Buffer,
  mayBeText: boolean,
) => FoundInBytes | Promise<FoundInBytes>;

/** Redacts answers that are no stream. @param isError of the provider, which may be a page of text */
export function redactWhole(redactor: Redactor, search: SearchAnswer, kind: AnswerKind, isError: boolean): Redact {
  function* change(bytes: Buffer, { places, unsearched }: FoundInBytes): Generator<undefined, Buffer> {
    if (unsearched !== null && !redactor.passesUnread(unsearched)) return nothing;
    const changed = yield* replaceInSteps(bytes, places, redactor.put.bind(redactor));
    return redactor.hasEnded ? nothing : changed;
  }
  return {
    passesLonger: () =>
      redactor.passesUnread('an answer of more than 16 MiB') && redactor.passesUnchecked?.() !== false,
    whole(bytes) {
      if ((kind === 'media' || kind === 'unknown') && !isError)
        return redactor.passesUnread('an answer that is a picture, sound or a file') ? bytes : nothing;
      const found = search(redactor, bytes, kind === 'text' || isError);
      if (redactor.check === undefined)
        return 'places' in found ? atOnce(change(bytes, found)) : found.then((each) => inTurns(change(bytes, each)));
      return check(bytes, redactor.check.bind(redactor), found).then((each) => inTurns(change(bytes, each)));
    },
  };
}

async function check(
  bytes: Buffer,
  ask: NonNullable<Redactor['check']>,
  searched: FoundInBytes | Promise<FoundInBytes>,
): Promise<FoundInBytes> {
  const found = await searched;
  const text = bytes.toString('utf8');
  const isTooLarge = !isCheckable(bytes);
  const texts = isTooLarge ? null : listTexts(text, 'answer');
  const given = await ask(texts === null ? (isTooLarge ? null : [{ id: 0, text }]) : numberTexts(texts));
  if (texts !== null) return { ...found, places: addReplacements(found.places, texts, given) };
  const puts = given.map(({ start, end, kind, text: instead }) => {
    return {
      start,
      end,
      kind,
      value: '',
      depth: 0,
      isBare: false,
      isRest: false,
      decided: { instead },
      isPut: true,
    } as const;
  });
  return { ...found, places: clip([...puts, ...found.places]) };
}
