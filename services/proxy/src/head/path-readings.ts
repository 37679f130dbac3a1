import { ApiError } from '@agp/core/errors';
import { matchOperation, type Operation, operationWords, type ProviderApi } from '@agp/metering';
import type { Provider } from '../settings/provider.ts';
import { decodeOnce, maxDecodings } from './query-parameters.ts';

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

/** Agents use few paths again and again, and each takes 12 to 20 µs to read. Bounded, since paths come from agents. */
const known = new Map<string, Operation | null>();
const maxKnown = 1_000;

/**
 * Finds the operation that a request asks for, and refuses a path that a server could read as another one: metered as one
 * operation, or as none, and served as another, it would be free.
 *
 * @param path the provider's, without the query
 * @throws ApiError `malformed_request`
 */
export function matchOneOperation(api: ProviderApi, method: string, path: string): Operation | null {
  const key = `${api} ${method} ${path}`;
  const remembered = known.get(key);
  if (remembered !== undefined) return remembered;
  const operation = matchOperation(api, method, path);
  for (const reading of listPathReadings(path)) {
    const read = matchOperation(api, method, reading);
    if (read !== null && read !== operation) {
      throw new ApiError('malformed_request', 'request target reads as another operation once decoded');
    }
  }
  if (known.size >= maxKnown) known.clear();
  known.set(key, operation);
  return operation;
}

/** OpenAI's own base URL is accepted with and without `/v1`, and a base URL that ends in it does not double it. */
export function normalisePath({ id, api, basePath }: Pick<Provider, 'id' | 'api' | 'basePath'>, path: string): string {
  if (api !== 'openai') return path;
  const versioned = /^\/v1(?:\/|$)/.test(path);
  if (versioned && basePath.endsWith('/v1')) return path.slice('/v1'.length) || '/';
  return !versioned && id === 'openai' && basePath === '' ? `/v1${path}` : path;
}
