import { maxJsonDepth, nestsDeeperThan, parseJson } from '@agp/core/json';
import { copyInSteps } from '@agp/runtime/bytes';
import { parse as parseCut } from 'partial-json';
import { isForm, parseRequestBody } from './json/form.ts';
import { asObject, isTooPopulated } from './json/members.ts';
import { dialects, matchOperation } from './match-operation.ts';
import { addBeside } from './text/beside.ts';
import { maxText, visitStrings } from './text/strings.ts';
import type { Writing } from './text/writing.ts';

type LocateText = (text: string) => readonly number[];

const nowhere: LocateText = () => [];

function createLocateText(api: keyof typeof dialects, body: unknown): LocateText {
  const root = asObject(body);
  const list = dialects[api].conversation.map((name) => root[name]).find((value) => Array.isArray(value));
  if (!Array.isArray(list)) return nowhere;
  let found: Map<string, number[]> | null = null;
  return (text) => {
    found ??= indexTexts(list);
    return found.get(text) ?? findWhole(found, text);
  };
}

/** The last text of a body that is too long is cut. One that is left short is not worth the search. */
const leastCut = 64 * 1024;

function findWhole(found: ReadonlyMap<string, number[]>, cut: string): readonly number[] {
  if (cut.length < leastCut) return [];
  for (const [text, indexes] of found) if (text.startsWith(cut)) return indexes;
  return [];
}

/** Most texts have no findings, and most requests no text with any: they are indexed only for the first. */
function indexTexts(messages: readonly unknown[]): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const [index, message] of messages.entries()) {
    visitStrings([message], 'text', (text) => {
      const known = found.get(text);
      if (known === undefined) found.set(text, [index]);
      else if (known.at(-1) !== index) known.push(index);
      return true;
    });
  }
  return found;
}

export interface CallPath {
  api: keyof typeof dialects;
  method: string;
  path: string;
}

interface LocatedWriting extends Writing {
  locate?: LocateText;
}

/** A text that was read already, or the body that holds it, which is read late and, if it is large, in a worker. */
export type TextSource =
  | Writing
  | { of: 'request'; asked: CallPath; bytes: Uint8Array; contentType: string; parsed?: unknown }
  | { of: 'answer'; asked: CallPath; bytes: Uint8Array };

export function sizeOf(source: TextSource): number {
  return 'bytes' in source ? source.bytes.length : lengthOf(source.parts);
}

export function sizeOfAll(source: TextSource): number {
  return sizeOf(source) + ('bytes' in source ? 0 : lengthOf(source.beside ?? []));
}

const lengthOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + text.length, 0);

export function withoutBeside(source: TextSource): TextSource {
  return 'bytes' in source ? source : { parts: source.parts, whole: source.whole };
}

/** A body that is not JSON is one text that is not whole. Never throws. @param extent `model`: what is billed */
export function readText(source: TextSource, extent: 'model' | 'all'): LocatedWriting {
  if (!('bytes' in source)) return source;
  const { asked, bytes } = source;
  const operation = matchOperation(asked.api, asked.method, asked.path);
  if (!operation) return { parts: [], whole: false };
  if (bytes.length === 0) return { parts: [], whole: true };
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const read = (value: unknown, writing: Writing) =>
    extent === 'all' ? addBeside(source.of, value, writing) : writing;
  if (source.of === 'answer')
    return readAnswer(body, (answer) => read(answer, operation.readAnswer(answer).outputText()));
  const isJson = !isForm(source.contentType);
  const parsed =
    source.parsed ?? (isJson && isTooPopulated(body) ? undefined : parseRequestBody(body, source.contentType));
  // A form that cannot be read holds sound or pictures for the most part.
  if (parsed === undefined) return { parts: isJson ? [body.toString('utf8', 0, maxText)] : [], whole: false };
  const writing = read(parsed, operation.readRequest(parsed, asked.path).inputText());
  return isJson ? { ...writing, locate: createLocateText(asked.api, parsed) } : writing;
}

/** This much of a broken-off answer is read: the library takes time in the square of the depth. */
const maxCutParsed = 256 * 1024;

function readAnswer(body: Buffer, read: (answer: unknown) => Writing): Writing {
  const text = body.toString('utf8');
  try {
    return read(parseJson(text));
  } catch {
    // The connection broke, or the agent left: the part that came was written all the same.
  }
  try {
    const cut = text.slice(0, maxCutParsed);
    if (nestsDeeperThan(cut, maxJsonDepth)) return { parts: [], whole: false };
    return { ...read(parseCut(cut)), whole: false };
  } catch {
    return { parts: [], whole: false };
  }
}

/** The same source as it is handed to a worker, with bytes of its own. */
export function* detach(source: TextSource): Generator<undefined, TextSource> {
  if (!('bytes' in source)) return source;
  const bytes = yield* copyInSteps(source.bytes);
  return { ...source, bytes, ...(source.of === 'request' && { parsed: undefined }) };
}

/** The memory of a source that is handed over. */
export const listOwned = (source: TextSource): ArrayBuffer[] =>
  'bytes' in source ? [source.bytes.buffer as ArrayBuffer] : [];
