import { streamAlertSchema, streamQuerySchema } from '@agp/alerts';
import {
  eventDetailSchema,
  eventListQuerySchema,
  eventSchema,
  listedEventListSchema,
  listedEventSchema,
  sessionEventsQuerySchema,
  streamEventSchema,
} from '@agp/core/contracts';
import { listSessionEvents, readEvent, readEventDetail } from '@agp/db';
import { z } from 'zod';
import { defineRoute, tagRoutes } from '../define-route.ts';
import { presentEvent, presentEventDetail } from '../presenters.ts';
import { makeEventsCsv, readExpand, replyWithEvents, replyWithList } from '../replies.ts';
import { eventId, found, readAgentFilter, refuseUnrecorded, sessionId } from '../requests.ts';

/** Reads as an empty list if others answer 404, so any text is let through. */
const anySessionId = { ...sessionId, error: undefined, read: (text: string) => sessionId.read(text) ?? '' };

const eventsCsv = makeEventsCsv(listedEventSchema);

export const eventRoutes = tagRoutes('Events', [
  defineRoute('GET /api/v1/events', {
    summary: 'Events of all agents, newest first',
    query: eventListQuerySchema,
    answer: { description: 'One page of events', schema: listedEventListSchema, paged: true, csv: eventsCsv },
    handle: (input, { db }, response) => {
      const { agent_id, session_id } = input.query;
      const owner = {
        agentId: readAgentFilter(agent_id),
        sessionId: session_id === undefined ? undefined : anySessionId.read(session_id),
      };
      return replyWithEvents(input, response, db, owner, presentEvent);
    },
  }),
  defineRoute('GET /api/v1/events/stream', {
    summary: 'Events as they are recorded, as Server-Sent Events',
    query: streamQuerySchema,
    answer: {
      description:
        'A stream that stays open. Each message is `event: agent_event` and one `data:` line with the JSON described here; ' +
        'a comment `: keepalive` is sent after 15 seconds without one. When the stream ends, reconnect and read what was ' +
        'missed from `GET /api/v1/events` with `recorded_after`: the time of the last event you had, less a minute. Events ' +
        'are not announced in the order of their times, so pass over the ids you know. With `kinds=alerts`, ' +
        '`event: alert` is an alert as it is now: one that came up, was acknowledged or is over. The same may come again, and ' +
        'after an end read `GET /api/v1/alerts?state=unresolved`.',
      schema: z.union([streamEventSchema, streamAlertSchema]),
      contentType: 'text/event-stream',
    },
    errors: ['live_stream_unavailable', 'too_many_streams_of_key', 'too_many_streams'],
    handle: ({ query, caller }, { streams }, response) => {
      const owner = found(caller, 'internal');
      const { agent_id: agentId, session_id: sessionId, kinds, expand } = query;
      const asked = { withEvents: kinds.includes('events'), withAlerts: kinds.includes('alerts') };
      streams.open(response, { agentId, sessionId, ...asked, ...readExpand(expand) }, owner);
    },
  }),
  defineRoute('GET /api/v1/events/sessions/{session_id}', {
    summary: 'All events of one session, oldest first; none for an unknown session',
    params: { session_id: anySessionId },
    query: sessionEventsQuerySchema,
    answer: { description: "The session's events", schema: listedEventListSchema, csv: eventsCsv },
    handle: ({ params, query }, { db }, response) =>
      replyWithList(response, listSessionEvents(db, params.session_id, readExpand(query.expand)), presentEvent),
  }),
  defineRoute('GET /api/v1/events/{id}/detail', {
    summary:
      'All that is known of one event: how it ended, where personal data was, and the proof of its place in the chain',
    params: { id: eventId },
    answer: { description: 'The event with its details', schema: eventDetailSchema },
    errors: ['event_not_recorded'],
    handle: async ({ params }, { db }) =>
      presentEventDetail((await readEventDetail(db, params.id)) ?? (await refuseUnrecorded(db, params.id))),
  }),
  defineRoute('GET /api/v1/events/{id}', {
    summary: 'One event',
    params: { id: eventId },
    answer: { description: 'The event', schema: eventSchema },
    errors: ['event_not_recorded'],
    handle: async ({ params }, { db }) =>
      presentEvent((await readEvent(db, params.id)) ?? (await refuseUnrecorded(db, params.id))),
  }),
]);
