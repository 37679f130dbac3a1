import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { dropRest, type Exchange, requestIdHeaders } from '../exchange.ts';

const page = readFileSync(new URL('./own-page.html', import.meta.url));

/** What the page's own style or script may be known by, as its policy names it. */
function digestOf(element: 'style' | 'script'): string {
  const [, content = ''] = new RegExp(`<${element}>([^]*)</${element}>`).exec(page.toString()) ?? [];
  return `'sha256-${hash('sha256', content, 'base64')}'`;
}

/** It asks this proxy alone, and runs nothing but itself: a token is typed into it. */
const headers = {
  ...{ 'Content-Type': 'text/html; charset=utf-8', 'Content-Length': page.length, 'Cache-Control': 'no-cache' },
  'Content-Security-Policy': [
    "default-src 'none'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    `style-src ${digestOf('style')}`,
    `script-src ${digestOf('script')}`,
  ].join('; '),
  ...{ 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' },
};

/** Whether a person opened the path in a browser: such a request shows no token, which the page asks for. */
export const isBrowser = ({ headers: { accept = '', authorization }, headersDistinct }: IncomingMessage): boolean =>
  /\btext\/html\b/i.test(accept) && authorization === undefined && headersDistinct['x-agent-token'] === undefined;

export function sendOwnPage({ request, response, requestId }: Exchange): void {
  response.writeHead(200, { ...headers, ...requestIdHeaders(requestId) });
  response.end(page);
  dropRest(request);
}
