import { defineRoute } from '../../define-route.ts';
import { docsPage, docsPolicy } from '../../docs/docs-page.ts';

export const showDocsRoute = defineRoute({
  method: 'get',
  path: '/docs',
  scope: null,
  tag: 'Documentation',
  summary: 'A page to read and try this document',
  answer: { status: 200, description: 'The page', contentType: 'text/html' },
  errors: [],
  handle: (_input, response) => {
    response.set('Content-Security-Policy', docsPolicy).type('html').send(docsPage);
  },
});
