import { pauseSchema, pauseStateSchema } from '@agp/core/contracts';
import { type ControlRow, updateControl } from '@agp/db';
import { recordChange } from '../changes.ts';
import { defineRoute, tagRoutes } from '../define-route.ts';
import { readPauseState } from '../reads/reads.ts';

const presentPause = ({ paused }: ControlRow) => ({ paused });

export const pauseRoutes = tagRoutes('Pause', [
  defineRoute('GET /api/v1/pause', {
    summary: 'Whether all agents are stopped',
    answer: { description: 'The state, and who paused', schema: pauseStateSchema },
    handle: async (_input, { db }) => readPauseState(db),
  }),
  defineRoute('PUT /api/v1/pause', {
    ofInstallation: true,
    summary: 'Stop all agents, or let them go on: it holds from the next request on',
    body: pauseSchema,
    answer: { description: 'The state as it is now', schema: pauseSchema },
    handle: (input, context) =>
      recordChange(context, input, 'pause.set', async (transaction) => {
        const { before, after } = await updateControl(transaction, input.body);
        return { result: presentPause(after), before: presentPause(before), after: presentPause(after) };
      }),
  }),
]);
