import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Router } from 'express';

/**
 * Scripts, styles and the document come from this service alone. Swagger UI writes style attributes, so those are let through; scripts
 * never are.
 */
export const docsPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const docsPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Agent Governance Proxy: management API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="icon" href="/docs/favicon-32x32.png">
</head>
<body>
<div id="swagger-ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

/** A file of its own, because the policy allows no script inside the page. */
const startScript = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  validatorUrl: null,
});
`;

/** The page at `/` if the console is not built. */
export const startPage = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Agent Governance Proxy</title></head>
<body>
<h1>Agent Governance Proxy</h1>
<p>This is the management API. <a href="/docs">Its documentation</a> is at <code>/docs</code>.
The console is not built here: <code>npm run build:console</code> builds it.</p>
</body>
</html>
`;

const assets = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];

export function serveDocsAssets(): Router {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const router = Router({ caseSensitive: true });
  for (const name of assets) {
    router.get(`/${name}`, (_request, response) => {
      // The folder lies under node_modules/.pnpm, which `send` would take for a hidden file.
      response.sendFile(join(folder, name), { dotfiles: 'allow', cacheControl: false });
    });
  }
  router.get('/start.js', (_request, response) => {
    response.type('js').send(startScript);
  });
  return router;
}
