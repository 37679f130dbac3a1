import createClient from 'openapi-fetch';
import { consoleHeaders } from './half.ts';
import type { paths } from './schema.d.ts';

/** The management API, with the session of this browser. */
export const api = createClient<paths>({ baseUrl: '/', credentials: 'same-origin' });

api.use({
  onRequest({ request }) {
    for (const [name, value] of Object.entries(consoleHeaders())) request.headers.set(name, value);
    return request;
  },
});
