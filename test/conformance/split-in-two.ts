import { isDeepStrictEqual } from 'node:util';
import { matchOperation, type Operation, type ProviderApi } from '../../services/proxy/src/providers/index.ts';
import { createResponseTap } from '../../services/proxy/src/stream/index.ts';
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
  const { output, ...reading } = await tap.end();
  return { ...reading, output: output() };
}

/**
 * Reads a row's whole answer in two pieces, divided at each byte, byte by byte, and the same with CRLF.
 *
 * @returns the positions at which something else was read than in one piece; null where there is nothing to read
 */
export async function splitInTwo(row: Row): Promise<number[] | null> {
  const { complete } = row.cells;
  if (!complete || row.stream === 'sound') return null;
  const operation = findOperation(row);
  const contentType = complete.contentType ?? contentTypes[row.stream];
  const expected = await read(operation, contentType, [Buffer.from(complete.wire)]);
  const wrong: number[] = [];
  for (const cell of [complete, toForm(row, 'CRLF')]) {
    if (!cell) continue;
    const bytes = Buffer.from(cell.wire);
    const single = [...bytes].map((byte) => Buffer.from([byte]));
    if (!isDeepStrictEqual(await read(operation, contentType, single), expected)) wrong.push(-1);
    for (let at = 1; at < bytes.length; at++) {
      const reading = await read(operation, contentType, [bytes.subarray(0, at), bytes.subarray(at)]);
      if (!isDeepStrictEqual(reading, expected)) wrong.push(at);
    }
  }
  return wrong;
}
