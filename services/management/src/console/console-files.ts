import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import type { Request, RequestHandler, Response } from 'express';
import { startPage } from '../docs/docs-page.ts';

/**
 * Everything from here, and nothing inside the page runs or styles but the style elements with this answer's nonce. If a fault let in what
 * agents send as markup, it could neither run nor send anything.
 */
function makeConsolePolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Where `npm run build:console` puts the page. */
const consoleFolder = join(import.meta.dirname, '../../../../packages/console/dist');

const noncePlace = '__NONCE__';

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

interface ConsoleFile {
  bytes: Buffer;
  /** Undefined if that would not be shorter. */
  gzipped: Buffer | undefined;
  type: string;
}

export interface ConsoleFiles {
  /** Answers for the page's scripts, styles and pictures, and with the page itself under whatever path a browser opens. */
  serve: RequestHandler;
  sendPage(response: Response): void;
}

/** The page's own router decides what it shows there; links on other sites may open these. */
export const isPagePath = (path: string): boolean => !/^\/(?:api|assets|console|docs|openapi\.json)(?:\/|$)/.test(path);

function readFiles(folder: string): Map<string, ConsoleFile> {
  const files = new Map<string, ConsoleFile>();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const type = types[extname(name)];
    const file = join(folder, name);
    if (type === undefined || !statSync(file).isFile()) continue;
    const gzipped = existsSync(`${file}.gz`) ? readFileSync(`${file}.gz`) : undefined;
    files.set(`/${name.split(sep).join('/')}`, { bytes: readFileSync(file), gzipped, type });
  }
  return files;
}

function sendFile({ bytes, gzipped, type }: ConsoleFile, request: Request, response: Response): void {
  // The names of these files hold digests of their content.
  const isHashed = request.path.startsWith('/assets/');
  response.set('Cache-Control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
  response.set({ 'Content-Type': type, Vary: 'Accept-Encoding' });
  const packed = gzipped !== undefined && request.acceptsEncodings('gzip') === 'gzip' ? gzipped : undefined;
  if (packed !== undefined) response.set('Content-Encoding', 'gzip');
  response.end(request.method === 'HEAD' ? undefined : (packed ?? bytes));
}

const wantsPage = ({ headers }: Request) => /\btext\/html\b/i.test(headers.accept ?? '');

/** The console's files, read once, so that no request can name another; if it is not built, a page says how. */
export function readConsoleFiles(folder: string = consoleFolder): ConsoleFiles {
  const isBuilt = existsSync(join(folder, 'index.html'));
  const files = isBuilt ? readFiles(folder) : new Map<string, ConsoleFile>();
  const page = isBuilt ? readFileSync(join(folder, 'index.html'), 'utf8') : null;

  function sendPage(response: Response): void {
    if (page === null) {
      response.type('html').send(startPage);
      return;
    }
    const nonce = randomBytes(16).toString('base64');
    response.set({ 'Content-Security-Policy': makeConsolePolicy(nonce), 'Cross-Origin-Opener-Policy': 'same-origin' });
    response.type('html').send(page.replaceAll(noncePlace, nonce));
  }

  return {
    sendPage,
    serve(request, response, next) {
      if (request.method !== 'GET' && request.method !== 'HEAD') return next();
      const file = files.get(request.path);
      if (file !== undefined) {
        response.locals.route = '/assets';
        return sendFile(file, request, response);
      }
      if (!isPagePath(request.path) || !wantsPage(request)) return next();
      response.locals.route = '/';
      sendPage(response);
    },
  };
}
