import { modelPriceListSchema, priceListQuerySchema } from '@agp/core/contracts';
import { defineRoute, tagRoutes } from '../define-route.ts';

export const priceRoutes = tagRoutes('Costs', [
  defineRoute('GET /api/v1/prices', {
    summary: 'What models cost now, those first that were used without a price in the last 30 days',
    query: priceListQuerySchema,
    answer: {
      description:
        "Models of the library, entries of `PRICES_FILE`, and models of the last 30 days' calls, by provider and model; " +
        'prices are those of the standard tier',
      schema: modelPriceListSchema,
    },
    handle: ({ query }, { db, readPrices }) => readPrices(db, query),
  }),
]);
