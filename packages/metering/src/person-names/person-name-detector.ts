import type { Detector } from '@agp/pii';
import { foldWord, type NameWord, readNameWords } from './name-words.ts';
import { leadingWords, particles } from './plain-words.ts';

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

type Kind = NameWord | 'initial' | 'unknown';

interface NamePart {
  written: string;
  kind: Kind;
  start: number;
  end: number;
}

function endsAsSurname(folded: string, endings: readonly string[]): boolean {
  return endings.some((ending) => folded.length >= ending.length + leastStem && folded.endsWith(ending));
}

function judgeWord(known: ReadonlyMap<string, NameWord>, written: string): Kind {
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

function judgeHyphened(known: ReadonlyMap<string, NameWord>, written: readonly string[]): Kind {
  if (!written.every((part) => capital.test(part))) return 'word';
  const kinds = written.map((part) => judgeWord(known, part));
  if (kinds.every((kind) => kind === 'sure' || kind === 'possible')) return 'sure';
  return kinds.includes('sure') && !kinds.includes('word') ? 'partial' : 'word';
}

function isName(kinds: readonly Kind[]): boolean {
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
