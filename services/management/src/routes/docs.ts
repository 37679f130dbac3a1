import { policySchema } from '@agp/policy';
import { z } from 'zod';
import { defineRoute, isInEdition, type Route, tagRoutes } from '../define-route.ts';
import { docsPage, docsPolicy } from '../docs/docs-page.ts';
import { buildDocument } from '../openapi.ts';

export function makeDocsRoutes(routes: () => readonly Route[]): Route[] {
  let document: string | undefined;
  return tagRoutes('Documentation', [
    defineRoute('GET /openapi.json', {
      scope: null,
      summary: 'This document',
      answer: { description: 'An OpenAPI 3.1 document', schema: z.record(z.string(), z.unknown()) },
      handle: (_input, { config }, response) => {
        document ??= JSON.stringify(buildDocument(routes().filter((route) => isInEdition(route, config))));
        response.type('json').send(document);
      },
    }),
    defineRoute('GET /policy.schema.json', {
      scope: null,
      summary: 'The JSON Schema of a policy, for editors',
      answer: {
        description: 'A JSON Schema of draft 7, which every editor reads',
        schema: z.record(z.string(), z.unknown()),
      },
      handle: () => z.toJSONSchema(policySchema, { io: 'input', target: 'draft-7' }),
    }),
    defineRoute('GET /docs', {
      scope: null,
      summary: 'A page to read and try this document',
      answer: { description: 'The page', contentType: 'text/html' },
      handle: (_input, _context, response) => {
        response.set('Content-Security-Policy', docsPolicy).type('html').send(docsPage);
      },
    }),
    defineRoute('GET /', {
      scope: null,
      summary: 'The console',
      answer: { description: 'The page', contentType: 'text/html' },
      handle: (_input, { console }, response) => {
        console.sendPage(response);
      },
    }),
  ]);
}
