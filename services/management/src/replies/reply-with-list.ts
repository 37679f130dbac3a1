import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { giveUpSilentReader } from '../reads/reads.ts';
import { csvOf } from './choose-format.ts';
import { writeCsvLine } from './write-csv.ts';

export interface Framing {
  before: string;
  after: string;
}

interface Writer extends Framing {
  between: string;
  write: (rows: readonly object[]) => string;
}

/** Sets the headers of an answer in rows, and gives what writes it: as CSV where the caller asked for that, else as JSON. */
function beginRows(response: Response, framing: Framing): Writer {
  const csv = csvOf(response);
  if (csv === undefined) {
    response.type('json');
    return { ...framing, between: ',', write: (rows) => rows.map((row) => JSON.stringify(row)).join(',') };
  }
  const { name, columns } = csv;
  response.attachment(`${name}.csv`).type('text/csv; charset=utf-8');
  const write = (rows: readonly object[]) =>
    rows.map((row) => writeCsvLine(columns.map((column) => (row as Record<string, unknown>)[column]))).join('');
  return { before: writeCsvLine(columns), between: '', after: '', write };
}

const brackets: Framing = { before: '[', after: ']' };

/** Sends rows that are all in memory. */
export function sendRows(response: Response, rows: readonly object[]): void {
  const { before, write, after } = beginRows(response, brackets);
  response.send(before + write(rows) + after);
}

/**
 * Sends a list of any length as JSON, or as CSV where the caller asked for that, at its reader's pace and with one page in memory. If the
 * first page cannot be read, it fails before anything is sent; later the connection breaks off.
 *
 * @param framing text before and after the entries in JSON: the brackets, and an object around them
 */
export async function replyWithList<Row>(
  response: Response,
  pages: AsyncGenerator<Row[]>,
  present: (row: Row) => object,
  framing: Framing = brackets,
): Promise<void> {
  const first = await pages.next();
  const { before, between, after, write } = beginRows(response, framing);
  async function* writeAll(): AsyncGenerator<string> {
    let lead = before;
    for (let page = first; !page.done; page = await pages.next()) {
      yield lead + write(page.value.map(present));
      lead = between;
    }
    yield lead === before ? before + after : after;
  }
  giveUpSilentReader(response);
  await pipeline(Readable.from(writeAll()), response);
}
