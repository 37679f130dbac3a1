import { ApiError } from '@agp/core/errors';
import { maxTargetLength } from '../limits.ts';
import type { Provider } from '../settings/provider.ts';

export interface Target {
  agentName: string | null;
  providerId: string;
  /** The path as it was sent, beginning with a slash. */
  path: string;
  /** The query as it was sent, from the question mark on; empty without one. */
  query: string;
}

function refuse(what: string): never {
  throw new ApiError('malformed_request', `request target ${what}`);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return refuse('is not valid percent-encoded UTF-8');
  }
}

const escapedUnreserved = /%(?:2[de]|3[0-9]|[46][1-9a-f]|[57][0-9a]|5f|7e)/i;
const ambiguous = /\/\/|\\|#|\/\.{1,2}(?:\/|$)/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const control = /[\0-\x1f\x7f]/;

/** Refuses a path that names another one for a server that decodes it or resolves its segments. */
function assureUnambiguous(path: string): void {
  if (escapedUnreserved.test(path)) refuse('must not escape letters, digits or - . _ ~');
  const decoded = decode(path);
  if (ambiguous.test(decoded)) refuse('must not contain //, \\, # or dot segments, plain or encoded');
  if (control.test(decoded)) refuse('must not contain control characters');
}

/** Refuses a provider's path that is not in its plain form: lenient servers cut, trim or map the rest away. */
function assurePlain(path: string): void {
  if (/%25/.test(path)) refuse('must not be percent-encoded twice');
  if (/%[89a-f]/i.test(path)) refuse('must be ASCII in its path behind the provider');
  if (/;|%3[bf]/i.test(path)) refuse('must not contain ; or an encoded ? in its path');
  if (/%20(?:[/:]|%2f|%3a|$)|(?:[/:]|%2f|%3a)%20|\.(?:[/:]|%2f|%3a|$)/i.test(path))
    refuse('must not have spaces or dots at the end of a path segment');
}

/**
 * Splits `/{provider}/{path}` or `/agents/{name}/{provider}/{path}`, never parsed as a URL: an absolute one would choose the upstream.
 * @throws ApiError `malformed_request`
 */
export function parseTarget(target: string): Target {
  if (target.length > maxTargetLength) refuse(`is longer than ${maxTargetLength} characters`);
  if (!target.startsWith('/')) refuse('must begin with /');
  if (!/^[\x21-\x7e]*$/.test(target)) refuse('must be printable ASCII');
  if (target.includes('#')) refuse('must not contain //, \\, # or dot segments, plain or encoded');
  const question = target.indexOf('?');
  const path = question < 0 ? target : target.slice(0, question);
  const query = question < 0 ? '' : target.slice(question);
  assureUnambiguous(path);

  const segments = path.split('/');
  const isNamed = segments[1] === 'agents';
  const [providerId = '', ...rest] = segments.slice(isNamed ? 3 : 1);
  const providerPath = `/${rest.join('/')}`;
  assurePlain(providerPath);
  return { agentName: isNamed ? decode(segments[2] ?? '') : null, providerId, path: providerPath, query };
}

/**
 * A base URL without the provider, such as `http://proxy/v1`, is the usual mistake.
 * @throws ApiError `unknown_provider`
 */
export function findProvider(providers: ReadonlyMap<string, Provider>, { providerId }: Target): Provider {
  const provider = providers.get(providerId);
  if (provider !== undefined) return provider;
  const known = [...providers.keys()];
  const what = /^v\d/.test(providerId) ? 'unknown provider: the path lacks it' : 'unknown provider';
  const example = `a base URL is this proxy's address and a provider, as in /${known[0]}/v1`;
  throw new ApiError('unknown_provider', `${what}; ${example}; known here: ${known.slice(0, 50).join(', ')}`);
}
