import { type Pause, pauseSchema } from '@agp/core/contracts';
import { updateControl } from '@agp/db';
import { recordChange } from '../../changes/record-change.ts';
import { defineRoute } from '../../define-route.ts';

export const setPauseRoute = defineRoute({
  method: 'put',
  path: '/api/v1/pause',
  scope: 'write',
  tag: 'Pause',
  summary: 'Stop all agents, or let them go on: it holds from the next request on',
  body: pauseSchema,
  answer: { status: 200, description: 'The state as it is now', schema: pauseSchema },
  errors: [],
  handle: async (input, response, context) => {
    const pause = await recordChange(context, input, 'pause.set', async (transaction) => {
      const { before, after } = await updateControl(transaction, { paused: input.body.paused });
      const result: Pause = { paused: after.paused };
      return { result, agentId: null, target: null, before: { paused: before.paused }, after: result };
    });
    response.json(pause);
  },
});
