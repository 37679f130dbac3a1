import { providerKeyListSchema } from '@agp/core/contracts';
import { listProviderKeys } from '@agp/db';
import { defineRoute, tagRoutes } from '../define-route.ts';
import { listedProviderKeys } from '../limits.ts';
import { presentRow } from '../presenters.ts';

export const providerKeyRoutes = tagRoutes('Keys', [
  defineRoute('GET /api/v1/provider-keys', {
    ofInstallation: true,
    summary: 'The keys that proxies send to providers: which proxies have, and when each was used last',
    answer: {
      description: 'The keys by provider, the latest first; at most 500',
      schema: providerKeyListSchema,
    },
    handle: async (_input, { db }) => (await listProviderKeys(db, listedProviderKeys)).map((row) => presentRow(row)),
  }),
]);
