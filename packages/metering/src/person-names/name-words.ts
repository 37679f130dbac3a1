import { allLocales } from '@faker-js/faker';
import { ambiguousWords, leadingWords, organisationWords } from './plain-words.ts';

/** `sure`: a first name; `partial`: a surname, or like one; `possible`: a name, and a word or place too; `word`: none. */
export type NameWord = 'sure' | 'partial' | 'possible' | 'word';

function* listStrings(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) yield* listStrings(inner);
}

function* listWords(value: unknown): Generator<string> {
  for (const text of listStrings(value)) yield* text.split(/[^\p{L}\p{M}'’]+/u);
}

const stroked: Readonly<Record<string, string>> = { ı: 'i', ø: 'o', ł: 'l', đ: 'd' };

export function foldWord(word: string): string {
  const small = word.toLowerCase();
  if (/^[a-z]*$/.test(small)) return small;
  return small
    .normalize('NFD')
    .replace(/[\p{M}'’]/gu, '')
    .replace(/[ıøłđ]/g, (letter) => stroked[letter] ?? letter);
}

type Spread = Map<string, Set<string>>;

function addNames(spread: Spread, names: unknown, language: string): void {
  for (const word of listWords(names)) {
    const folded = foldWord(word);
    if (folded.length > 1) spread.set(folded, (spread.get(folded) ?? new Set()).add(language));
  }
}

/** A first name may also be a word or a place: it is one for us only if it is a first name in so many languages. */
const leastOfWord = 8;
const leastOfPlace = 3;

/** Takes a second and 100 MB: for a worker, once. By folded spelling. */
export function readNameWords(): ReadonlyMap<string, NameWord> {
  const [first, all]: [Spread, Spread] = [new Map(), new Map()];
  const places = new Set<string>();
  const words = new Set([...organisationWords]);
  for (const [locale, { person, location, date, word, color }] of Object.entries(allLocales)) {
    const [language = locale] = locale.split('_');
    addNames(first, person?.first_name, language);
    addNames(all, [person?.first_name, person?.last_name], language);
    for (const word of listWords([location?.country, location?.state, location?.city_name])) places.add(foldWord(word));
    for (const other of listWords([date, word, color])) words.add(foldWord(other));
  }
  const {
    person,
    location,
    lorem: _lorem,
    metadata: _metadata,
    internet: _internet,
    music: _music,
    book: _book,
    ...rest
  } = allLocales.en;
  const { first_name: _first, middle_name: _middle, last_name: _last, name: _name, ...titles } = person ?? {};
  const { continent, direction, language, street_suffix } = location ?? {};
  for (const word of listWords([rest, titles, continent, direction, language, street_suffix])) {
    const folded = foldWord(word);
    // Words with a capital there are products and companies, some of them named after a person.
    if (/^\p{Ll}/u.test(word) || (all.get(folded)?.size ?? 0) < leastOfPlace) words.add(folded);
  }
  const found = new Map<string, NameWord>();
  for (const word of [...words, ...places]) found.set(word, 'word');
  for (const word of all.keys()) {
    const languages = first.get(word);
    const spread = languages?.size ?? 0;
    const isAlso = words.has(word) || places.has(word);
    const least = words.has(word) ? leastOfWord : places.has(word) ? leastOfPlace : languages?.has('en') ? 1 : 2;
    found.set(word, spread >= least ? 'sure' : isAlso ? 'possible' : 'partial');
  }
  for (const word of ambiguousWords) found.set(word, 'possible');
  for (const word of [...leadingWords, ...organisationWords]) found.set(word, 'word');
  return found;
}
