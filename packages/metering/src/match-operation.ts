import { operationRows } from '@agp/core/operations';
import { anthropic } from './dialects/anthropic/operations.ts';
import { bedrock } from './dialects/bedrock/operations.ts';
import { gemini } from './dialects/gemini/operations.ts';
import { openai } from './dialects/openai/operations.ts';
import { type Dialect, decodeName, type Operation, type ProviderApi, toPlainPath } from './dialects/operation.ts';

/** The wire formats that providers speak. */
export const dialects: Readonly<Record<ProviderApi, Dialect>> = { openai, anthropic, gemini, bedrock };

/** Whether an answer would hold a credential, in the words of any dialect: some servers speak several. */
export function handsOutCredential(path: string): boolean {
  return Object.values(dialects).some(({ credentialPaths }) => credentialPaths.test(path.toLowerCase()));
}

/** Whether a path makes, runs or shows agents at the provider, of any dialect: some servers speak several. */
export function runsHostedAgent(path: string): boolean {
  return Object.values(dialects).some(({ hostedAgentPaths }) => hostedAgentPaths.test(path.toLowerCase()));
}

/** The part of a path that keeps what it is sent, in any dialect; undefined for nothing that is known. */
export const findKept = (path: string): string | undefined =>
  Object.values(dialects)
    .map(({ keepingPaths }) => keepingPaths.exec(path.toLowerCase())?.[0].replace(/[/:]$/, ''))
    .find(Boolean);

/** Paths that may stand in links of the answer to a request at `path`, of any dialect: some servers speak several. */
export function findLinkPaths(path: string): RegExp[] {
  return Object.values(dialects).flatMap(({ links }) =>
    links.filter(({ at }) => at.test(path)).map((link) => link.path),
  );
}

/** Methods without a body. Some server may treat any other method as a POST. */
const bodiless = new Set(['HEAD', 'DELETE', 'OPTIONS']);

/** Finds the model call at a path, in the provider's own API first, since some speak several; null if none. */
export function matchOperation(api: ProviderApi, method: string, path: string): Operation | null {
  if (bodiless.has(method)) return null;
  const asked = method === 'GET' ? 'GET' : 'POST';
  const plain = path.endsWith('/') ? path.slice(0, -1) : path;
  const own = dialects[api].match(plain, asked);
  if (own) return own;
  for (const dialect of Object.values(dialects)) {
    const operation = dialect === dialects[api] ? null : dialect.match(plain, asked);
    if (operation) return operation;
  }
  return null;
}

/** What servers put before their paths, such as `/api/v1`, `/openai`. */
const before = String.raw`^(?:/(?:v\d[a-z0-9]*|api|inference|openai|anthropic|compat|compatible-mode|compatibility|paas|beta))*`;

/** Where Vertex AI and Azure keep models. */
const holder = '(?:/projects/[^/]+/locations/[^/]+)?(?:/(?:publishers|endpoints|deployments)/[^/]+|/models)?';

/**
 * A path that ends so, with nothing unknown before it.
 * @param ends expressions @param isHeld a holder of models may stand before them @param models what `{model}` may be of
 */
export const toWholePath = (ends: readonly string[], isHeld = true, models = 'models|tunedModels|endpoints'): RegExp =>
  new RegExp(
    `${before}${isHeld ? holder : ''}/(?:${ends.join('|')})/?$`.replaceAll('{model}', `(?:${models})(?:/[^/]+){1,2}`),
  );

const wholePath = new RegExp(toWholePath([...operationRows.values()].flatMap(({ path = [] }) => path)), 'i');

/** Words of operations' paths that have capitals, for comparisons in any case. */
export const operationWords: readonly string[] = wholePath.source.match(/[a-z]+(?:[A-Z][a-z]+)+/g) ?? [];

/** Whether a call's path is known as a whole: one that is known by its end alone may name a model, or an agent, before it. */
export const isWholePath = (path: string): boolean => wholePath.test(decodeName(toPlainPath(path)));
