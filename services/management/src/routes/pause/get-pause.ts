import { type Pause, pauseSchema } from '@agp/core/contracts';
import { readControl } from '@agp/db';
import { defineRoute } from '../../define-route.ts';

export const getPauseRoute = defineRoute({
  method: 'get',
  path: '/api/v1/pause',
  scope: 'read',
  tag: 'Pause',
  summary: 'Whether all agents are stopped',
  answer: { status: 200, description: 'The state', schema: pauseSchema },
  errors: [],
  handle: async (_input, response, { db }) => {
    const { paused } = await readControl(db);
    response.json({ paused } satisfies Pause);
  },
});
