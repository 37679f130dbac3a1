import type { EventListQuery } from '@agp/core/contracts';
import { toPublicId, uuidOf } from '@agp/core/ids';
import { type Db, type EventFilter, type EventRow, listEvents } from '@agp/db';
import type { Request, Response } from 'express';
import { readPiiType } from '../requests/read-pii-type.ts';
import { replyWithPage } from './reply-with-page.ts';

type EventPage = Omit<EventListQuery, 'agent_id' | 'session_id'>;

/** Sends one page of events, with a `Link` header while there is a next one. */
export async function replyWithEvents(
  input: { request: Request; query: EventPage },
  response: Response,
  db: Db,
  owner: Pick<EventFilter, 'agentId' | 'sessionId'>,
  present: (row: EventRow) => object,
): Promise<void> {
  const { query } = input;
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
      piiType: readPiiType(query.pii_type),
      outcome: query.outcome,
      failed: query.failed === 'true',
      httpStatus: query.http_status,
      requestId: query.request_id,
      providerRequestId: query.provider_request_id,
      cursor: query.cursor && uuidOf('evt', query.cursor),
    },
    // Reads one more than is shown, to know if there is a next page.
    { limit: query.limit + 1, offset: query.offset },
    { withNames: query.expand?.includes('agent') ?? false, withOutcomes: query.expand?.includes('outcome') ?? false },
  );
  replyWithPage(input, response, rows, present, ({ id }) => toPublicId('evt', id));
}
