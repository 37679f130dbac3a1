import { eventStreamQuerySchema, streamEventSchema } from '@agp/core/contracts';
import { defineRoute } from '../../define-route.ts';

export const streamEventsRoute = defineRoute({
  method: 'get',
  path: '/api/v1/events/stream',
  scope: 'read',
  tag: 'Events',
  summary: 'Events as they are recorded, as Server-Sent Events',
  query: eventStreamQuerySchema,
  answer: {
    status: 200,
    description:
      'A stream that stays open. Each message is `event: agent_event` and one `data:` line with the JSON described here; ' +
      'a comment `: keepalive` is sent after 15 seconds without one. When the stream ends, reconnect and read what was ' +
      'missed from `GET /api/v1/events` with `recorded_after`: the time of the last event you had, less a minute. Events ' +
      'are not announced in the order of their times, so pass over the ids you know.',
    schema: streamEventSchema,
    contentType: 'text/event-stream',
  },
  errors: ['too_many_streams_of_key', 'too_many_streams'],
  handle: ({ query, caller }, response, { streams }) => {
    const owner = caller ?? { keyId: '', secretSha256: '' };
    streams.open(response, { agentId: query.agent_id, sessionId: query.session_id }, owner);
  },
});
