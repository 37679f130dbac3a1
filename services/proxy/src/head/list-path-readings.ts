import { operationWords } from '@agp/metering';
import { decodeOnce, maxDecodings } from './decode-once.ts';

/**
 * A path as lenient servers might read it: decoded several times, with `;parameters` and anything behind `?` cut off, in any
 * case, in characters that only look like others, with spaces and dots at the end of segments, with empty segments, a repeated
 * version, or a format (`.json`) at its end. Equal readings are listed once.
 *
 * @param path the provider's, as it was sent, known to hold no dot segments
 * @returns at least one reading, each with the known words in their usual spelling
 */
export function listPathReadings(path: string): string[] {
  const texts = new Set<string>();
  let [whole, cut] = [path, path];
  for (let round = 0; round <= maxDecodings; round += 1) {
    cut = cutParameters(cut);
    for (const text of [whole, cut]) {
      texts.add(text);
      texts.add(takeUntil(text, ';'));
      texts.add(takeUntil(text, '?'));
    }
    if (!whole.includes('%')) break;
    [whole, cut] = [decodeOnce(whole), decodeOnce(cut)];
  }
  const readings = new Set<string>();
  for (const text of texts) {
    const reading = simplify(text);
    readings.add(reading);
    readings.add(reading.replace(/\.[A-Za-z0-9]{1,8}$/, ''));
  }
  return [...readings];
}

/** Path parameters, as servlets know them: `/a;b=c/d` is `/a/d`. */
const cutParameters = (text: string): string =>
  text.includes(';')
    ? text
        .split('/')
        .map((segment) => takeUntil(segment, ';'))
        .join('/')
    : text;

function takeUntil(text: string, sign: string): string {
  const at = text.indexOf(sign);
  return at < 0 ? text : text.slice(0, at);
}

const ignorable = /[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

function simplify(text: string): string {
  const plain = /^[\x20-\x7e]*$/.test(text) ? text : text.normalize('NFKD').replace(ignorable, '');
  // By way of capitals, since some small letters share a capital.
  const folded = plain.toUpperCase().toLowerCase().replaceAll('+', ' ');
  const segments = folded
    .split(/[/\\]/)
    .map((segment) => segment.split(':').map(trimWord).join(':'))
    .filter((segment) => segment !== '');
  const once = segments.filter((segment, index) => !/^v\d/.test(segment) || segment !== segments[index - 1]);
  return `/${once.join('/')}`.replace(/[a-z]+/g, (word) => spellings.get(word) ?? word);
}

/** Without a RegExp, which would take quadratic time for many spaces or dots in the middle. */
function trimWord(word: string): string {
  const trimmed = word.trim();
  let end = trimmed.length;
  while (end > 0 && (trimmed[end - 1] === '.' || trimmed[end - 1] === ' ')) end -= 1;
  return trimmed.slice(0, end);
}

const spellings = new Map(operationWords.map((word) => [word.toLowerCase(), word]));
