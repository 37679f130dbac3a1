import { addReplacements, joinParts, listTexts } from '../redaction/checked-texts.ts';
import { replacePlaces } from '../redaction/find-places.ts';
import type { Redactor } from '../redaction/redaction.ts';
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
  const change = (bytes: Buffer, { places, unsearched }: FoundInBytes): Buffer => {
    if (unsearched !== null && !redactor.passesUnread(unsearched)) return nothing;
    if (places.length === 0) return bytes;
    const text = bytes.toString('utf8');
    const changed = replacePlaces(text, places, (kind, value) => redactor.put(kind, value));
    if (redactor.hasEnded) return nothing;
    return changed === text ? bytes : Buffer.from(changed);
  };
  return {
    passesLonger: () => redactor.passesUnread('an answer of more than 16 MiB'),
    whole(bytes) {
      if ((kind === 'media' || kind === 'unknown') && !isError)
        return redactor.passesUnread('an answer that is a picture, sound or a file') ? bytes : nothing;
      const found = search(redactor, bytes, kind === 'text' || isError);
      if (redactor.check === undefined)
        return 'places' in found ? change(bytes, found) : found.then((each) => change(bytes, each));
      return check(bytes, redactor.check.bind(redactor), found).then((each) => change(bytes, each));
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
  const texts = listTexts(text, 'answer');
  const given = await ask(texts?.map((parts, id) => ({ id, text: joinParts(parts) })) ?? [{ id: 0, text }]);
  return texts === null ? found : { ...found, places: addReplacements(found.places, texts, given) };
}
