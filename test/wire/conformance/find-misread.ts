import { isDeepStrictEqual } from 'node:util';
import { matchOperation, type Operation, type ProviderApi } from '@agp/metering';
import { openAnswerPipe } from '../../../packages/metering/src/answer/answer-pipe.ts';
import { contentTypes, type Row } from './cell.ts';
import { type FormedCell, toForm, wireForms } from './wire-forms.ts';

function findOperation({ method, path, api }: Row): Operation {
  const [, provider = '', rest = ''] = /^\/([^/]+)(\/[^?]*)/.exec(path) ?? [];
  const own: ProviderApi = provider === 'anthropic' || provider === 'gemini' ? provider : 'openai';
  const found = matchOperation(own, method, rest);
  if (!found) throw new Error(`no operation for ${api}`);
  return found;
}

async function read(row: Row, { contentType = contentTypes[row.stream], encoding }: FormedCell, pieces: Buffer[]) {
  const headers = { 'content-type': contentType, ...(encoding && { 'content-encoding': encoding }) };
  const tap = openAnswerPipe(findOperation(row), headers);
  for (const piece of pieces) tap.push(piece);
  const { output, uncountedText, isError, length: _length, ...figures } = await tap.read();
  return { figures, rest: [output(), uncountedText?.(), isError] };
}

const divide = (bytes: Buffer, at: number) => [bytes.subarray(0, at), bytes.subarray(at)];

/**
 * Reads a row's answer in every form that its bytes may have, whole; where they are plain and few, byte by byte too, and in two pieces.
 *
 * @param step from one place of division to the next; in other forms than the plain one it is seven times as long, and so meets
 *   each place of a line if it shares no divisor with its length
 * @returns where something else was read than from the plain bytes at once, -1 for byte by byte
 */
export async function findMisread(row: Row, step: number): Promise<string[]> {
  const { complete, aborted } = row.cells;
  if (!complete || row.stream === 'sound') return [];
  const wrong: string[] = [];
  for (const form of ['plain', ...wireForms] as const) {
    const cell: FormedCell | null = form === 'plain' ? complete : toForm(row, form);
    if (!cell) continue;
    const plain = (form === 'gzip, aborted' && aborted) || complete;
    const expected = await read(row, plain, [Buffer.from(plain.wire)]);
    const bytes = Buffer.from(cell.wire);
    const check = async (at: number, pieces: Buffer[]) => {
      const { figures, rest } = await read(row, cell, pieces);
      // What a huge frame is filled with is text as well, and of a large body the figures alone are read.
      const isSame = form === 'huge frame' || isDeepStrictEqual(rest, expected.rest);
      if (!isSame || !isDeepStrictEqual(figures, expected.figures)) wrong.push(`${form} ${at}`);
    };
    await check(0, [bytes]);
    if (form === 'huge frame' || cell.encoding) continue;
    await check(
      -1,
      Array.from(bytes, (byte) => Buffer.from([byte])),
    );
    const stride = form === 'plain' ? step : step * 7;
    for (let at = stride; at < bytes.length; at += stride) await check(at, divide(bytes, at));
  }
  return wrong;
}
