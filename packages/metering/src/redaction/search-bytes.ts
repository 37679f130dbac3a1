import { isUtf8 } from 'node:buffer';
import type { TextSearch } from '@agp/pii';
import { isForm, parseFormFields } from '../json/form.ts';
import { isTooPopulated } from '../json/members.ts';
import { type Found, findInJson, findInText, tooMany } from './find-places.ts';
import { type KnownValue, longestKnown, mostKnown } from './known-values.ts';
import { listFindings, type Place } from './places.ts';
import { openSearch, type SearchConfig, type SearchMemory } from './redaction.ts';

/** A body or a whole answer to search. */
export interface SearchedBytes {
  bytes: Uint8Array;
  contentType: string;
  from: 'request' | 'answer';
  /** What is no JSON is one text, as transcripts and pages of errors are. */
  mayBeText: boolean;
  config: SearchConfig;
}

export interface FoundInBytes extends Found {
  /** Findings have places in it, so that they can be replaced. */
  isChangeable: boolean;
}

const nothing: FoundInBytes = { places: [], unsearched: null, isChangeable: true };

const unsearched = (what: string): FoundInBytes => ({ ...nothing, unsearched: what });

/** Never throws. Linear, and slow for large bodies. @param search as {@link openSearch} makes it of the config and the memory */
export function searchBytes(
  { bytes, contentType, from, mayBeText, config }: SearchedBytes,
  memory: SearchMemory | null = null,
  search: TextSearch = openSearch(config, memory),
): FoundInBytes {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (isForm(contentType)) return searchForm(buffer, contentType, search);
  if (!isUtf8(buffer)) return unsearched('what is not UTF-8');
  const text = buffer.toString('utf8');
  if (text.trim() === '') return nothing;
  const findAll = (by: TextSearch) => findInJson(text, by, from, false, 0, config.values);
  const once = findAll(search);
  const again = once && config.repeats ? listValues(once.places, config.values) : [];
  const found =
    (again.length > 0 ? findAll(openSearch({ ...config, values: again }, memory)) : once) ??
    (mayBeText ? findInText(text, search) : null);
  if (found === null) return unsearched(isTooPopulated(text) ? 'more than a million values' : 'what is no JSON');
  return { ...found, isChangeable: found.unsearched !== tooMany };
}

/** What was found, and is known besides; nothing if that is all that was looked for. */
function listValues(places: readonly Place[], known: readonly KnownValue[] = []): readonly KnownValue[] {
  const all = new Map(known.map((one) => [`${one.kind} ${one.value}`, one]));
  for (const { kind, value, isSigned } of listFindings(places)) {
    if (all.size >= known.length + mostKnown) break;
    if (!isSigned && value.length <= longestKnown) all.set(`${kind} ${value}`, { kind, value });
  }
  return all.size === known.length ? [] : [...all.values()];
}

/** Fields of forms are searched; their files are not. */
function searchForm(buffer: Buffer, contentType: string, search: TextSearch): FoundInBytes {
  const fields = parseFormFields(buffer, contentType, buffer.length);
  if (fields === undefined) return unsearched('a form that cannot be read');
  const found = Object.entries(fields).flatMap((texts) => texts.flat().map((text) => findInText(text, search)));
  const hasFile = /;\s*filename\*?=/i.test(buffer.toString('latin1'));
  const inner = found.find((each) => each.unsearched !== null)?.unsearched ?? null;
  return {
    places: found.flatMap(({ places }) => places),
    unsearched: hasFile ? 'a file of the form' : inner,
    isChangeable: false,
  };
}
