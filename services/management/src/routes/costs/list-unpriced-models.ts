import { unpricedModelListSchema } from '@agp/core/contracts';
import { listUnpricedModels } from '@agp/db';
import { defineRoute } from '../../define-route.ts';
import { presentUnpricedModel } from '../../presenters/present-costs.ts';

export const listUnpricedModelsRoute = defineRoute({
  method: 'get',
  path: '/api/v1/costs/unpriced',
  scope: 'read',
  tag: 'Costs',
  summary: 'Models that were used without a known price, the most requested first',
  answer: { status: 200, description: 'One entry for each provider and model', schema: unpricedModelListSchema },
  errors: [],
  handle: async (_input, response, { db }) => {
    response.json((await listUnpricedModels(db)).map(presentUnpricedModel));
  },
});
