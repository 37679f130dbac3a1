import { ApiError } from '@agp/core/errors';
import { matchOperation, type Operation, operationWords, type ProviderApi } from '@agp/metering';
import { maxTargetLength, rememberedPaths } from '../limits.ts';
import { normalisePath, type Provider } from '../settings/provider.ts';
import { decodeOnce } from './query-parameters.ts';

const spellings = new Map(operationWords.map((word) => [word.toLowerCase(), word]));

/** A path as servers take it that decode it, ignore case, or a format at its end. */
const fold = (path: string): string =>
  decodeOnce(path)
    .replace(/\.[A-Za-z0-9]{1,8}\/?$/, '')
    .toLowerCase()
    .replace(/[a-z]+/g, (word) => spellings.get(word) ?? word);

/** Agents use few paths again and again. Bounded, since paths come from agents. */
const known = new Map<string, Operation | null>();

/**
 * Refuses a path that some server would take for another operation, or for one, and serve for free.
 * @throws ApiError `malformed_request`
 */
export function matchOneOperation(api: ProviderApi, method: string, path: string): Operation | null {
  const key = `${api} ${method} ${path}`;
  const remembered = known.get(key);
  if (remembered !== undefined) return remembered;
  const operation = matchOperation(api, method, path);
  const folded = matchOperation(api, method, fold(path));
  if (folded !== null && folded !== operation) {
    throw new ApiError(
      'malformed_request',
      'request target is another operation once decoded, in other case or without a format',
    );
  }
  if (known.size >= rememberedPaths) known.clear();
  known.set(key, operation);
  return operation;
}

/** Whose errors the sender of a request reads, as far as its target tells, well formed or not; null if that names no provider. */
export function findApi(
  providers: ReadonlyMap<string, Provider>,
  { method, target }: { method: string; target: string },
): ProviderApi | null {
  const [path = ''] = target.slice(0, maxTargetLength).split('?', 1);
  const [, id = '', rest = ''] = /^(?:\/agents\/[^/]*)?\/([^/]+)(.*)$/.exec(path) ?? [];
  const provider = providers.get(id);
  if (provider === undefined) return null;
  return matchOperation(provider.api, method, normalisePath(provider, rest))?.api ?? provider.api;
}
