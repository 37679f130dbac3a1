import type { PlannedRequest } from './plan-request.ts';
import type { TargetForm } from './request-forms.ts';

const paths = {
  chat: ['openai', '/v1/chat/completions'],
  messages: ['anthropic', '/v1/messages'],
  generate: ['gemini', '/v1beta/models/fuzz-1:generateContent'],
} as const;

/** The plain provider and path of a request. */
export function plainPath({ kind, stream }: PlannedRequest): readonly [string, string] {
  const [provider, path] = paths[kind];
  return [provider, kind === 'generate' && stream ? path.replace(':generate', ':streamGenerate') : path];
}

const encode = (letter: string) => `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}`;

/** The request target, in Latin-1. */
export function makeTarget(request: PlannedRequest): string {
  const [provider, path] = plainPath(request);
  const query = request.kind === 'generate' && request.stream ? '?alt=sse' : '';
  const at = 4 + (request.dice % (path.length - 4));
  const letter = path[at] ?? 's';
  const put = (text: string) => `/${provider}${path.slice(0, at)}${text}${path.slice(at + 1)}${query}`;
  const changed: Record<TargetForm, () => string> = {
    plain: () => `/${provider}${path}${query}`,
    'one letter encoded': () => put(encode(letter)),
    'encoded twice': () => put(encode(letter).replace('%', '%25')),
    'slash encoded': () => `/${provider}${path.replace(/\/([^/]*)$/, '%2f$1')}${query}`,
    'other case': () => `/${provider}${path.toUpperCase().replace('FUZZ', 'fuzz')}${query}`,
    parameters: () => `/${provider}${path};v=1${query}`,
    'closing slash': () => `/${provider}${path}/${query}`,
    'doubled slash': () => `/${provider}${path.replace('/v1', '//v1')}${query}`,
    dots: () => `/${provider}/x/..${path}${query}`,
    'encoded dots': () => `/${provider}/x/%2e%2e${path}${query}`,
    backslash: () => `/${provider}${path.replace(/\//g, '\\')}${query}`,
    NUL: () => put('%00'),
    'unknown path': () => `/${provider}/v1/some-new-thing${query}`,
    'agent in path': () => `/agents/${request.agent}/${provider}${path}${query}`,
    absolute: () => `http://evil.example/${provider}${path}`,
    query: () => `/${provider}${path}?a=%61gp_x&&=&%zz&${encode(letter)}=1${query.replace('?', '&')}`,
    fragment: () => `/${provider}${path}#x`,
    'raw bytes': () => put('\u00e9\u0080'),
    long: () => `/${provider}${path}?q=${'x'.repeat(17_000)}`,
    'other provider': () => `/nobody${path}`,
    nothing: () => '',
  };
  return changed[request.target]();
}
