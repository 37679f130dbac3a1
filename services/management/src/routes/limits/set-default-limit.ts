import { type Limit, limitSchema } from '@agp/core/contracts';
import { type ControlRow, updateControl } from '@agp/db';
import { recordChange } from '../../changes/record-change.ts';
import { defineRoute } from '../../define-route.ts';

const presentDefault = (row: ControlRow): Limit => ({ requests_per_minute: row.default_requests_per_minute });

export const setDefaultLimitRoute = defineRoute({
  method: 'put',
  path: '/api/v1/limits/default',
  scope: 'write',
  tag: 'Limits',
  summary: 'Set the requests a minute that new agents are registered with; those that are registered keep theirs',
  body: limitSchema,
  answer: { status: 200, description: 'The limit as it is now', schema: limitSchema },
  errors: [],
  handle: async (input, response, context) => {
    const limit = await recordChange(context, input, 'limit.default.set', async (transaction) => {
      const change = { default_requests_per_minute: input.body.requests_per_minute };
      const { before, after } = await updateControl(transaction, change);
      const result = presentDefault(after);
      return { result, agentId: null, target: null, before: presentDefault(before), after: result };
    });
    response.json(limit);
  },
});
