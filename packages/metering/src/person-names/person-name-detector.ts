import type { Detector } from '@agp/pii';
import { allLocales } from '@faker-js/faker';

const listed = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Words that have a capital only because they begin a sentence, a letter or a label. No name begins with one or goes on over one. */
export const leadingWords = listed(
  'a an the this that these those my your his her its our their i you he she it we they who what when where why how which whose if in on at for from to with by of as and but or nor so yet not no yes is are was were be do does did has have had can could will would shall should may might must let please thanks thank dear hi hello hey ok okay here there then now all any each every some both few many most other such only own same than too very just also about after before between under over again once during while because until since new old big first last next mr mrs ms miss mx dr prof professor sir madam sorry glad happy happily afraid sure aunt uncle herr frau mme monsieur madame answer user assistant system customer patient name contact address author im youre hes shes were theyre ive weve dont isnt lets monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december der die das ein eine le la les un une el los las una il lo gli',
);

const organisationWords = listed(
  'inc llc ltd gmbh corp co company group orchestra investments systems solutions software technologies university college school street st avenue ave road rd drive lane boulevard bridge river lake park award prize act test method algorithm foundation institute hospital bank museum church square airport station industries partners associates brothers sons network networks media labs house hotel cup stadium job block else line valid top post command copyright supports bar royal princess claude gemini gpt',
);

/** First names of many languages that English has as words. */
const ambiguousWords = listed('art bill mark page rich rob');

export const particles = listed('van von de der den da di del la el al bin ibn ten dos du le zu');

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

/** A word of a text; longer ones come in several pieces, and are no names. */
const word = /[\p{L}\p{M}](?:['’-]?[\p{L}\p{M}]){0,39}/gu;
const capital = /^\p{Lu}/u;

/** Words right before a name. Only ever sees a slice of bounded length. */
const introduction =
  /\b(?:(?:[Mm]r|[Mm]rs|[Mm]s|[Mm]iss|[Mm]x|[Dd]r|[Pp]rof|[Pp]rofessor|[Ss]ir|[Mm]adam|Herr|Frau|Señora?|Sra?|Mme|Monsieur|Madame|Signora?|[Mm]ister)\.?|(?:[Mm]y|[Hh]is|[Hh]er|[Tt]heir|[Yy]our|[Mm]aiden|[Ff]ull|[Ll]ast|[Ff]irst) name(?: is|'s|\?)?:?|(?:I am|I'm|[Tt]his is|[Cc]alls? me|said|named (?:him|her|them)|[Ss]igned(?: by)?:?|[Rr]egards,|[Ss]incerely,|[Cc]heers,|[Dd]ear|[Hh]i|[Hh]ello|[Ff]ollow up with|[Ss]peak (?:to|with)|(?:directed|founded|sung|written) by|starring|[Aa]uthor:?|[Nn]ame:|[Cc]ontact:|[Aa]ttn:?|[Pp]atient:?|[Cc]ustomer:?))[ \n\u00a0]$/;
const longestIntroduction = 24;

/** Endings by which an unknown word is a surname in a name of several words; the first list's also alone. */
const surnameEndings = 'ov ev ova eva yev ović ovic evic sson dottir adze idze shvili czyk enko escu ski ska sky'.split(
  ' ',
);
const likelyEndings =
  'son sen yan ian poulos idis akis inen oglu vich ovna evna berg strom mann stein gaard quist ez'.split(' ');
const leastStem = 3;
/** An ending is too little in a short word, and in one put together of several. */
const isLongWord = /^\p{Lu}(?:\p{Lu}{6}|[\p{Ll}\p{M}’']{6})/u;

const maxWords = 6;

type WordKind = NameWord | 'initial' | 'unknown';

interface NamePart {
  written: string;
  kind: WordKind;
  start: number;
  end: number;
}

function endsAsSurname(folded: string, endings: readonly string[]): boolean {
  return endings.some((ending) => folded.length >= ending.length + leastStem && folded.endsWith(ending));
}

function judgeWord(known: ReadonlyMap<string, NameWord>, written: string): WordKind {
  if (written.length === 1) return 'initial';
  if (written.includes('-')) return judgeHyphened(known, written.split('-'));
  const folded = foldWord(written.replace(/['’]s$/, ''));
  const kind = known.get(folded);
  if (kind === 'partial' || kind === undefined) {
    if (isLongWord.test(written) && endsAsSurname(folded, surnameEndings)) return 'sure';
    if (kind === undefined) return endsAsSurname(folded, likelyEndings) ? 'partial' : 'unknown';
  }
  return kind;
}

function judgeHyphened(known: ReadonlyMap<string, NameWord>, written: readonly string[]): WordKind {
  if (!written.every((part) => capital.test(part))) return 'word';
  const kinds = written.map((part) => judgeWord(known, part));
  if (kinds.every((kind) => kind === 'sure' || kind === 'possible')) return 'sure';
  return kinds.includes('sure') && !kinds.includes('word') ? 'partial' : 'word';
}

function isName(kinds: readonly WordKind[]): boolean {
  if (kinds.length === 1) return kinds[0] === 'sure';
  if (kinds.includes('word')) return false;
  const hasMiddle =
    kinds.length > 2 && kinds.slice(1, -1).every((kind) => kind === 'initial') && kinds.at(-1) !== 'initial';
  return hasMiddle || kinds.includes('sure') || kinds.includes('partial');
}

const isShortAndLoud = ({ written }: NamePart) => written.length < 5 && written === written.toUpperCase();

const joinsBefore = /[\d_@/\\#.$]/;
const joinsAfter = /[\d_@(/\\=]/;

function isWithinCode(text: string, start: number, end: number): boolean {
  const after = text.charAt(end);
  if (start > 0 && joinsBefore.test(text.charAt(start - 1))) return true;
  return joinsAfter.test(after) || (after === '.' && /[\p{L}\d]/u.test(text.charAt(end + 1)));
}

/** Alphabets without capitals have no names for it. */
export function createPersonNameDetector(): Detector {
  const known = readNameWords();
  const judge = (text: string, parts: readonly NamePart[]): boolean => {
    const [first] = parts;
    if (!first) return false;
    const kinds = parts.map(({ kind }) => kind);
    const isLoud = parts.length === 1 && isShortAndLoud(first);
    if (!isLoud && isName(kinds)) return true;
    if (kinds.includes('word')) return false;
    return introduction.test(text.slice(Math.max(0, first.start - longestIntroduction), first.start));
  };
  return {
    types: ['person_name'],
    find({ value }, report) {
      let parts: NamePart[] = [];
      let end = -1;
      const flush = () => {
        if (parts[0]?.kind === 'word') parts.shift();
        while (parts[0]?.kind === 'initial') parts.shift();
        const last = parts.at(-1);
        if (parts[0] && last && judge(value, parts)) report('person_name', parts[0].start, last.end);
        parts = [];
      };
      word.lastIndex = 0;
      for (let match = word.exec(value); match; match = word.exec(value)) {
        const [written] = match;
        const start = match.index;
        if (parts.length > 0 && !isNextWord(value, end, start, parts.at(-1))) flush();
        end = start + written.length;
        if (!capital.test(written)) {
          if (!particles.has(written)) flush();
        } else if (leadingWords.has(foldWord(written)) || isWithinCode(value, start, end)) flush();
        else {
          parts.push({ written, kind: judgeWord(known, written), start, end });
          if (parts.length > maxWords) flush();
        }
      }
      flush();
    },
  };
}

function isNextWord(text: string, end: number, start: number, before: NamePart | undefined): boolean {
  if (start === end + 1) return text.charAt(end) === ' ';
  return start === end + 2 && before?.kind === 'initial' && text.startsWith('. ', end);
}
