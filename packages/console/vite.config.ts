import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Where `npx vite packages/console` finds the API, to try changes of the page as they are written. */
const management = process.env.AGP_URL ?? 'http://127.0.0.1:8081';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  // Management puts a new nonce here for each answer (services/management/src/console).
  html: { cspNonce: '__NONCE__' },
  build: {
    target: 'es2023',
    // The policy lets nothing be loaded from `data:` but pictures.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    host: '127.0.0.1',
    proxy: Object.fromEntries(['/api', '/console', '/openapi.json', '/docs'].map((path) => [path, management])),
  },
});
