import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { giveUpSilentReader } from '../reads/reads.ts';

export interface Framing {
  before: string;
  after: string;
}

/**
 * Sends a list of any length as JSON, at the pace of its reader and a page in memory at a time. Fails before
 * anything is sent if the first page cannot be read; later, the connection breaks off.
 *
 * @param framing what stands around the entries: the brackets, and whatever object holds the list
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
