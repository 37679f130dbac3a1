import { defineRoute } from '../../define-route.ts';

const page = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Agent Governance Proxy</title></head>
<body>
<h1>Agent Governance Proxy</h1>
<p>This is the management API. <a href="/docs">Its documentation</a> is at <code>/docs</code>.</p>
</body>
</html>
`;

export const showStartPageRoute = defineRoute({
  method: 'get',
  path: '/',
  scope: null,
  tag: 'Documentation',
  summary: 'A short page that says where the documentation is',
  answer: { status: 200, description: 'The page', contentType: 'text/html' },
  errors: [],
  handle: (_input, response) => {
    response.type('html').send(page);
  },
});
