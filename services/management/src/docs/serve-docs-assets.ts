import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Router } from 'express';
import { startScript } from './docs-page.ts';

const assets = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];

/** The files that the page at `/docs` loads, and no other of the package. */
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
