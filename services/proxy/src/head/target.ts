import { ApiError } from '@agp/core/errors';
import { toEventText } from '@agp/core/events';
import { holdsAgentToken, spellsAgentToken } from './agent-token.ts';
import { decodeOnce, maxDecodings } from './query-parameters.ts';

/** The parts of a request target. */
export interface Target {
  /** The agent's name, if the path has one. */
  agentName: string | null;
  providerId: string;
  /** The provider's path, as it was sent, beginning with a slash. */
  path: string;
  /** From the question mark on, as it was sent; empty without one. */
  query: string;
}

const maxTargetLength = 16_384;
/** Far longer than the path of any call. A path with escapes or parameters can be read in many ways, and each takes time to check. */
const maxEscapedLength = 2_048;
/** A path that some server could read as another one. */
const ambiguous = /\/\/|\\|#|\/\.{1,2}(?:;[^/]*)?(?:\/|$)/;

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

/** The same in characters that some servers take for these signs, such as those of full width. */
const ambiguousOnceNormalised = /\/\/|\\|\/\.{1,2}(?:;[^/]*)?(?:\/|$)/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const control = /[\0-\x1f\x7f]/;

/** Decodes until nothing changes: some servers decode twice, and the path must be harmless to them too. */
function assureUnambiguous(path: string): void {
  let text = path;
  for (let round = 0; round <= maxDecodings; round += 1) {
    if (ambiguous.test(text)) refuse('must not contain //, \\, # or dot segments, plain or encoded');
    if (control.test(text)) refuse('must not contain control characters');
    if (text.includes('\ufffd')) refuse('is not valid percent-encoded UTF-8');
    if (!/^[\x21-\x7e]*$/.test(text) && ambiguousOnceNormalised.test(text.normalize('NFKC'))) {
      refuse('must not contain //, \\ or dot segments, in whatever characters');
    }
    const decoded = decodeOnce(text);
    if (decoded === text) return;
    text = decoded;
  }
  refuse(`must not be percent-encoded more than ${maxDecodings} times over`);
}

/**
 * Splits `/{provider}/{path}` or `/agents/{name}/{provider}/{path}`. The target is never parsed
 * as a URL, because an absolute one would then choose the upstream.
 *
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
  if (path.length > maxEscapedLength && /[%;]/.test(path)) {
    refuse(`has a path longer than ${maxEscapedLength} characters with escapes or parameters`);
  }
  decode(path);
  assureUnambiguous(path);

  const segments = path.split('/');
  if (segments[1] !== 'agents') {
    return { agentName: null, providerId: segments[1] ?? '', path: `/${segments.slice(2).join('/')}`, query };
  }
  return {
    agentName: decode(segments[2] ?? ''),
    providerId: segments[3] ?? '',
    path: `/${segments.slice(4).join('/')}`,
    query,
  };
}

const maxListedLength = 512;

/** A path for lists and logs, cut; null if something like an agent token is in it. */
export function toListedPath(path: string): string | null {
  return holdsAgentToken(path) || spellsAgentToken(path) ? null : toEventText(path, maxListedLength);
}

/**
 * The path of a request's target for traces, with the provider, and without the query and the agent's name. Null for a target
 * that cannot be parsed or has an agent token in its path.
 */
export function toShownPath(target: string): string | null {
  if (parse(target) === null) return null;
  const [path = ''] = target.split('?', 1);
  if (holdsAgentToken(path) || spellsAgentToken(path)) return null;
  return path.replace(/^\/agents\/[^/]*/, '') || '/';
}

/** The provider and path of a refused request for lists, as far as its target says them: nothing else of it need be in order. */
export function describeTarget(
  providers: ReadonlyMap<string, unknown>,
  target: string,
): { provider: string | null; path: string | null } {
  const id = parse(target)?.providerId ?? '';
  const path = toShownPath(target);
  return {
    provider: providers.has(id) ? id : null,
    path: path === null ? null : toEventText(path, maxListedLength),
  };
}

function parse(target: string): Target | null {
  try {
    return parseTarget(target);
  } catch {
    return null;
  }
}
