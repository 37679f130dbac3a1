import { maxJsonDepth, nestsDeeperThan, parseJson } from '@agp/core/json';
import { parse as parseCut } from 'partial-json';
import { isForm } from '../parse-form-fields.ts';
import { parseRequestBody } from '../parse-request-body.ts';
import { maxText } from '../providers/collect-text.ts';
import { matchOperation, type ProviderApi, type Writing } from '../providers/index.ts';

/** What was asked of a provider, so that a worker finds the mapping of its bodies again. */
export interface Asked {
  api: ProviderApi;
  method: string;
  /** The provider's path, without the query. */
  path: string;
}

/** Where a text is to be had: already read, or in a body, which is read late and, where it is large, in a worker. */
export type TextSource =
  | Writing
  | { of: 'request'; asked: Asked; bytes: Uint8Array; contentType: string }
  | { of: 'answer'; asked: Asked; bytes: Uint8Array };

/** How much there is to read, in bytes or UTF-16 units. */
export function sizeOf(source: TextSource): number {
  return 'bytes' in source ? source.bytes.length : source.parts.reduce((sum, part) => sum + part.length, 0);
}

/** JSON of more values takes seconds to parse, and hundreds of megabytes: no request that is meant has so many. */
const maxValues = 1_000_000;

function isTooPopulated(body: Buffer): boolean {
  let commas = 0;
  for (let at = body.indexOf(','); at >= 0; at = body.indexOf(',', at + 1)) {
    commas += 1;
    if (commas > maxValues) return true;
  }
  return false;
}

/** The text of a source. Never throws; what is no JSON at all counts as one text that was not read as it should be. */
export function readText(source: TextSource): Writing {
  if (!('bytes' in source)) return source;
  const { asked, bytes } = source;
  const operation = matchOperation(asked.api, asked.method, asked.path);
  if (!operation) return { parts: [], whole: false };
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (source.of === 'answer') return readAnswer(body, (answer) => operation.readAnswer(answer).outputText());
  const isJson = !isForm(source.contentType);
  const parsed = isJson && isTooPopulated(body) ? undefined : parseRequestBody(body, source.contentType);
  // A form that cannot be read holds sound or pictures for the most part.
  if (parsed === undefined) return { parts: isJson ? [body.toString('utf8', 0, maxText)] : [], whole: false };
  return operation.readRequest(parsed, asked.path).inputText();
}

/** Of an answer that broke off so much is read: the library takes time in the square of how deep it goes. */
const maxCutParsed = 256 * 1024;

function readAnswer(body: Buffer, read: (answer: unknown) => Writing): Writing {
  const text = body.toString('utf8');
  try {
    return read(parseJson(text));
  } catch {
    // The connection broke, or the agent left: what came until then was written all the same.
  }
  try {
    const cut = text.slice(0, maxCutParsed);
    // It calls itself for each level.
    if (nestsDeeperThan(cut, maxJsonDepth)) return { parts: [], whole: false };
    return { ...read(parseCut(cut)), whole: false };
  } catch {
    return { parts: [], whole: false };
  }
}

/** The same source in memory of its own, so that handing it to a worker copies nothing else. */
export function detach(source: TextSource): TextSource {
  if (!('bytes' in source) || source.bytes.length === source.bytes.buffer.byteLength) return source;
  return { ...source, bytes: new Uint8Array(source.bytes) };
}
