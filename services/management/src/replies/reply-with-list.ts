import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { giveUpSilentReader } from '../reads/reads.ts';

export interface Framing {
  before: string;
  after: string;
}

/**
 * Sends a list of any length as JSON, at its reader's pace and with one page in memory. If the first page cannot be read, it fails
 * before anything is sent; later the connection breaks off.
 *
 * @param framing text before and after the entries: the brackets, and an object around them
 */
export async function replyWithList<Row>(
  response: Response,
  pages: AsyncGenerator<Row[]>,
  present: (row: Row) => unknown,
  framing: Framing = { before: '[', after: ']' },
): Promise<void> {
  const first = await pages.next();
  async function* write(): AsyncGenerator<string> {
    let lead = framing.before;
    for (let page = first; !page.done; page = await pages.next()) {
      yield lead + page.value.map((row) => JSON.stringify(present(row))).join(',');
      lead = ',';
    }
    yield lead === framing.before ? framing.before + framing.after : framing.after;
  }
  response.type('json');
  giveUpSilentReader(response);
  await pipeline(Readable.from(write()), response);
}
