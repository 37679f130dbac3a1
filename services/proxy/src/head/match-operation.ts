import { ApiError } from '@agp/core/errors';
import { matchOperation, type Operation, operationWords, type ProviderApi } from '@agp/metering';
import { rememberedPathLength, rememberedPaths } from '../limits.ts';
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
  if (key.length > rememberedPathLength) return operation;
  if (known.size >= rememberedPaths) known.clear();
  known.set(key, operation);
  return operation;
}
