import type { EventListQuery } from '@agp/core/contracts';
import { toPublicId, uuidOf } from '@agp/core/ids';
import { type Db, type EventFilter, type EventRow, listEvents } from '@agp/db';
import type { Request, Response } from 'express';

type EventPage = Omit<EventListQuery, 'agent_id' | 'session_id'>;

/** Link to the next page: the same query with a cursor in place of the offset. */
function writeNextLink(request: Request, last: EventRow): string {
  const url = new URL(request.originalUrl, 'http://localhost');
  url.searchParams.delete('offset');
  url.searchParams.set('cursor', toPublicId('evt', last.id));
  return `<${url.pathname}${url.search}>; rel="next"`;
}

/** Sends one page of events, with a `Link` header while there is a next one. */
export async function replyWithEvents(
  { request, query }: { request: Request; query: EventPage },
  response: Response,
  db: Db,
  owner: Pick<EventFilter, 'agentId' | 'sessionId'>,
  present: (row: EventRow) => unknown,
): Promise<void> {
  const rows = await listEvents(
    db,
    {
      ...owner,
      from: query.from,
      to: query.to,
      recordedAfter: query.recorded_after,
      model: query.model,
      provider: query.provider,
      complianceTag: query.compliance_tag,
      piiDetected: query.pii_detected,
      cursor: query.cursor && uuidOf('evt', query.cursor),
    },
    // Reads one more than is shown, to know if there is a next page.
    { limit: query.limit + 1, offset: query.offset },
  );
  const page = rows.slice(0, query.limit);
  const last = page.at(-1);
  if (rows.length > page.length && last !== undefined) response.set('Link', writeNextLink(request, last));
  response.json(page.map(present));
}
