import { z } from 'zod';
import { defineRoute, isInEdition, type Route } from '../../define-route.ts';
import { buildDocument } from '../../openapi/build-document.ts';

/** The document describes this route too, so it is made from the list that the route becomes part of. */
export function getOpenapiRoute(routes: () => readonly Route[]): Route {
  let text: string | undefined;
  return defineRoute({
    method: 'get',
    path: '/openapi.json',
    scope: null,
    tag: 'Documentation',
    summary: 'This document',
    answer: {
      status: 200,
      description: 'An OpenAPI 3.1 document',
      schema: z.record(z.string(), z.unknown()),
    },
    errors: [],
    handle: (_input, response, { config }) => {
      text ??= JSON.stringify(buildDocument(routes().filter((route) => isInEdition(route, config))));
      response.type('json').send(text);
    },
  });
}
