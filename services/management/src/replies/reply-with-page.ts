import type { Request, Response } from 'express';
import { sendRows } from './reply-with-list.ts';

interface PageQuery {
  limit: number;
  from?: Date | undefined;
  to?: Date | undefined;
  recorded_after?: Date | undefined;
}

const times = ['from', 'to', 'recorded_after'] as const;

/** Link to the next page: the same query with a cursor in place of the offset, and times that do not move while pages are read. */
function writeNextLink(request: Request, query: PageQuery, cursor: string): string {
  const url = new URL(request.originalUrl, 'http://localhost');
  url.searchParams.delete('offset');
  for (const name of times) if (query[name]) url.searchParams.set(name, query[name].toISOString());
  url.searchParams.set('cursor', cursor);
  return `<${url.pathname}${url.search}>; rel="next"`;
}

/**
 * Sends one page of a list, with a `Link` header while there is a next one.
 *
 * @param rows one more than the page has room for, where there are more
 * @param cursorOf the cursor of the page after a row
 */
export function replyWithPage<Row>(
  { request, query }: { request: Request; query: PageQuery },
  response: Response,
  rows: readonly Row[],
  present: (row: Row) => object,
  cursorOf: (row: Row) => string,
): void {
  const page = rows.slice(0, query.limit);
  const last = page.at(-1);
  if (rows.length > page.length && last !== undefined)
    response.set('Link', writeNextLink(request, query, cursorOf(last)));
  sendRows(response, page.map(present));
}
