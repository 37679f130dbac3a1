import { statusQuerySchema, statusSchema } from '@agp/core/contracts';
import { defineRoute, tagRoutes } from '../define-route.ts';

export const statusRoutes = tagRoutes('Status', [
  defineRoute('GET /api/v1/status', {
    summary: 'Everything at a glance: what runs, what was spent, refused and found',
    query: statusQuerySchema,
    answer: {
      description:
        'The status, at most a second old. Each part is read by itself: one that cannot be read within two seconds is null, and `unavailable` says why.',
      schema: statusSchema,
    },
    handle: ({ query: { from }, caller }, { status }) => status.read(from, caller?.match),
  }),
]);
