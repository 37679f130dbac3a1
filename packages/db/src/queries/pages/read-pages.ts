/** Rows that are held in memory at a time. */
const pageSize = 1000;

export interface PageRange {
  /** Most rows in all; every row if undefined. */
  limit?: number | undefined;
  /** Rows left out at the start. */
  offset: number;
}

/**
 * Reads a list of any length in pages, so that memory stays constant and no connection is held while a slow reader
 * takes its time.
 *
 * @param readPage reads the rows after `after`, or from the start; `limit` and `offset` count rows
 */
export async function* readPages<Row>(
  range: PageRange,
  readPage: (page: { after: Row | undefined; limit: number; offset: number }) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  let left = range.limit ?? Number.POSITIVE_INFINITY;
  let offset = range.offset;
  let after: Row | undefined;
  while (left > 0) {
    const limit = Math.min(left, pageSize);
    const rows = await readPage({ after, limit, offset });
    if (rows.length > 0) yield rows;
    if (rows.length < limit) return;
    left -= rows.length;
    offset = 0;
    after = rows.at(-1);
  }
}
