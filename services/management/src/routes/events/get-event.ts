import { eventSchema } from '@agp/core/contracts';
import { ApiError } from '@agp/core/errors';
import { fromPublicId } from '@agp/core/ids';
import { readEvent } from '@agp/db';
import { defineRoute } from '../../define-route.ts';
import { presentEvent } from '../../presenters/present-event.ts';
import { eventIdParameter } from '../../requests/parameters.ts';

export const getEventRoute = defineRoute({
  method: 'get',
  path: '/api/v1/events/{id}',
  scope: 'read',
  tag: 'Events',
  summary: 'One event',
  params: eventIdParameter,
  answer: { status: 200, description: 'The event', schema: eventSchema },
  errors: ['event_not_found'],
  handle: async ({ params }, response, { db }) => {
    const id = fromPublicId('evt', params.id);
    const event = id === null ? undefined : await readEvent(db, id);
    if (event === undefined) throw new ApiError('event_not_found');
    response.json(presentEvent(event));
  },
});
