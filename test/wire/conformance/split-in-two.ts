import { isDeepStrictEqual } from 'node:util';
import { matchOperation, type Operation, type ProviderApi } from '@agp/metering';
import { createResponseTap } from '../../../packages/metering/src/stream/index.ts';
import { contentTypes, type Row } from './cell.ts';
import { toForm } from './wire-forms.ts';

function findOperation({ method, path, api }: Row): Operation {
  const [, provider = '', rest = ''] = /^\/([^/]+)(\/[^?]*)/.exec(path) ?? [];
  const own: ProviderApi = provider === 'anthropic' || provider === 'gemini' ? provider : 'openai';
  const found = matchOperation(own, method, rest);
  if (!found) throw new Error(`no operation for ${api}`);
  return found;
}

async function read(operation: Operation, contentType: string, pieces: readonly Buffer[]) {
  const tap = createResponseTap(operation, { 'content-type': contentType });
  for (const piece of pieces) tap.push(piece);
  const { output, uncountedText, length: _length, ...reading } = await tap.end();
  return { ...reading, output: output(), uncounted: uncountedText?.() };
}

/** Forms of a stream's bytes that are short enough to be divided at every one of them. */
const shortForms = ['CRLF', 'CR', 'no last blank line', 'byte order mark', 'comments'] as const;

/**
 * Reads a row's whole answer in two pieces, divided at each byte, and byte by byte, and in each form that its bytes may have, divided at every seventh.
 *
 * @returns where something else was read than from all of it at once, -1 for byte by byte; null where nothing is read
 */
export async function splitInTwo(row: Row): Promise<string[] | null> {
  const { complete } = row.cells;
  if (!complete || row.stream === 'sound') return null;
  const operation = findOperation(row);
  const contentType = complete.contentType ?? contentTypes[row.stream];
  const expected = await read(operation, contentType, [Buffer.from(complete.wire)]);
  const wrong: string[] = [];
  for (const form of ['plain', ...shortForms] as const) {
    const cell = form === 'plain' ? complete : toForm(row, form);
    if (!cell) continue;
    const bytes = Buffer.from(cell.wire);
    const isAsExpected = async (pieces: Buffer[]) =>
      isDeepStrictEqual(await read(operation, contentType, pieces), expected);
    if (!(await isAsExpected([...bytes].map((byte) => Buffer.from([byte]))))) wrong.push(`${form} -1`);
    // A line of SSE ends differently in the other forms, and a step that shares no divisor with its length meets each place of a line.
    for (let at = 0; at < bytes.length; at += form === 'plain' ? 1 : 7) {
      if (!(await isAsExpected([bytes.subarray(0, at), bytes.subarray(at)]))) wrong.push(`${form} ${at}`);
    }
  }
  return wrong;
}
