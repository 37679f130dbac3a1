import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { ApiError } from '@agp/core/errors';
import { z } from 'zod';

const splitList = (text: string) => text.split(',').map((part) => part.trim());

/** Only apps have schemes of their own, so `app://*` can name all pages of one app. */
function isOrigin(text: string): boolean {
  if (/^https?:/i.test(text)) return !text.includes('*') && URL.parse(text)?.origin === text;
  return /^[a-z][a-z0-9+.-]*:\/\/(?:\*|[^\s/*?#]*)$/.test(text);
}

const hostName = /^(?:[a-z0-9_-]+\.)*[a-z0-9_-]+$|^\[[0-9a-f:.]+\]$/;

/** The web pages and host names that are let through in addition. Every service reads them, for each of its ports. */
export const callerFields = {
  allowedOrigins: z
    .string()
    .transform(splitList)
    .refine((origins) => origins.every(isOrigin), 'must be origins such as https://console.example, or app://*')
    .optional()
    .describe('origins of [web pages](#web-pages) that may call'),
  allowedHosts: z
    .string()
    .transform((text) => splitList(text.toLowerCase()))
    .refine((hosts) => hosts.every((host) => hostName.test(host)), 'must be host names without ports')
    .optional()
    .describe('[names](#web-pages) of the service that are accepted'),
};

export type CallerSettings = { [Field in keyof typeof callerFields]?: z.infer<(typeof callerFields)[Field]> };

/** Names that mean this machine wherever they are looked up; the last two are Docker's and Podman's names for a container's host. */
const ownNames = new Set(['localhost', '[::1]', 'host.docker.internal', 'host.containers.internal']);

export function readHostName(host: string): string {
  const name = /^(?:\[[^\]]*\]|[^:]*)/.exec(host.trim().toLowerCase())?.[0] ?? '';
  return name.endsWith('.') ? name.slice(0, -1) : name;
}

/** True for a name that can only mean this machine: nobody can register it and make it point here. */
export const isLoopbackName = (name: string): boolean =>
  ownNames.has(name) || name.endsWith('.localhost') || /^127(?:\.\d{1,3}){1,3}$/.test(name);

export const isLoopbackAddress = (host: string): boolean => /^(?:127(?:\.\d{1,3}){3}|::1|localhost)$/.test(host);

const isPlainAddress = (name: string): boolean =>
  isIP(name.replace(/^\[|\]$/g, '')) !== 0 && name !== '0.0.0.0' && name !== '[::]';

/** Refuses requests that another site's page makes through the browser of somebody who can reach this port. */
export interface CallerGuard {
  /** Call it before anything is answered; true if it answered a preflight request of an allowed page itself. */
  greet(request: IncomingMessage, response: ServerResponse): boolean;
  assure(request: IncomingMessage): void;
}

export interface GuardedPort extends CallerSettings {
  host: string;
  isPage?: (path: string) => boolean;
}

const preflightSeconds = 600;

/**
 * Programs send neither `Origin` nor `Sec-Fetch-Site`; a page cannot leave them out of a request that has a body or whose answer it could
 * read. A page can make its own host name point to this machine (DNS rebinding), which only `Host` shows: on loopback only the machine's
 * own names are let through.
 */
export function createCallerGuard({
  host,
  allowedOrigins = [],
  allowedHosts,
  isPage = () => false,
}: GuardedPort): CallerGuard {
  const hosts = new Set(allowedHosts);
  const isLoopback = isLoopbackAddress(host);
  const origins = new Set(allowedOrigins);

  function isKnownHost(value: string): boolean {
    const name = readHostName(value);
    if (isLoopbackName(name) || hosts.has(name)) return true;
    return !isLoopback && (allowedHosts === undefined || isPlainAddress(name));
  }

  const isAllowedOrigin = (origin: string) =>
    origins.has(origin) || (!/^https?:/i.test(origin) && origins.has(origin.replace(/^([a-z0-9+.-]+:\/\/).*$/, '$1*')));

  const isVisit = ({ method, headers, url = '' }: IncomingMessage) =>
    (method === 'GET' || method === 'HEAD') &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document' &&
    isPage(url.split('?', 1)[0] ?? '');

  function isForeign(request: IncomingMessage): boolean {
    const { origin, host: own } = request.headers;
    const site = request.headers['sec-fetch-site'];
    if (site === 'same-origin' || (origin === undefined && (site === undefined || site === 'none'))) return false;
    if (origin !== undefined && isAllowedOrigin(origin)) return false;
    // Over plain HTTP browsers send Sec-Fetch-Site only to loopback, and extensions never do.
    if (site === undefined || site === 'none') return !isOriginOf(origin ?? '', own ?? '');
    return !isVisit(request);
  }

  // If Host is repeated, all of them count: another server may choose a different one.
  const hasKnownHost = ({ headersDistinct }: IncomingMessage) => (headersDistinct.host ?? []).every(isKnownHost);

  return {
    greet(request, response) {
      const { origin } = request.headers;
      if (origin === undefined || !isAllowedOrigin(origin) || !hasKnownHost(request)) return false;
      response.setHeader('Access-Control-Allow-Origin', origin);
      response.setHeader('Access-Control-Expose-Headers', '*');
      response.setHeader('Vary', 'Origin');
      if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) return false;
      answerPreflight(request, response);
      return true;
    },
    assure(request) {
      if (!hasKnownHost(request)) throw new ApiError('foreign_host');
      if (isForeign(request)) throw new ApiError('cross_site_request');
    },
  };
}

/** The scheme is ignored: a load balancer may end TLS in front of the service. */
const isOriginOf = (origin: string, host: string): boolean =>
  /^https?:/.test(origin) && URL.parse(`${origin.split('//', 1)[0]}//${host}`)?.origin === origin;

function answerPreflight({ headers }: IncomingMessage, response: ServerResponse): void {
  const methods = headers['access-control-request-method'] ?? '';
  const names = headers['access-control-request-headers'];
  response.setHeader('Access-Control-Allow-Methods', methods);
  if (names !== undefined) response.setHeader('Access-Control-Allow-Headers', names);
  if (headers['access-control-request-private-network'] === 'true') {
    response.setHeader('Access-Control-Allow-Private-Network', 'true');
  }
  response.setHeader('Access-Control-Max-Age', preflightSeconds);
  response.writeHead(204).end();
}

/**
 * The part of an address that one client cannot vary: 64 bits of IPv6, since a single machine gets a whole /64; anything else unchanged.
 */
export function toNetwork(address: string): string {
  if (!address.includes(':')) return address;
  const [before = '', after] = address.split('%', 1)[0]?.toLowerCase().split('::') ?? [];
  const first = before === '' ? [] : before.split(':');
  const last = after === undefined || after === '' ? [] : after.split(':');
  const zeros = after === undefined ? 0 : Math.max(0, 8 - first.length - last.length);
  const groups = [...first, ...Array<string>(zeros).fill('0'), ...last].slice(0, 4);
  return `${groups.map((group) => group.replace(/^0+(?=.)/, '')).join(':')}::/64`;
}

/** A valid IP address or null, since a trusted hop may forward any text. IPv4 mapped into IPv6 is returned as IPv4. */
export function toPlainAddress(address: string | undefined): string | null {
  const plain = address?.replace(/^::ffff:(?=\d+\.)/, '') ?? '';
  return isIP(plain) ? plain : null;
}
