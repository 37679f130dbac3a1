import { ApiError } from '@agp/core/errors';
import { matchOperation, type Operation, operationWords, type ProviderApi } from '@agp/metering';
import { rememberedPaths } from '../limits.ts';

const spellings = new Map(operationWords.map((word) => [word.toLowerCase(), word]));

/** A path as servers take it that ignore case, or a format at its end. */
const fold = (path: string): string =>
  path
    .replace(/\.[A-Za-z0-9]{1,8}$/, '')
    .toLowerCase()
    .replace(/[a-z]+/g, (word) => spellings.get(word) ?? word);

/** Agents use few paths again and again. Bounded, since paths come from agents. */
const known = new Map<string, Operation | null>();

/**
 * Refuses a path that only its case or a format at its end keeps from being an operation: some servers would serve it, for free.
 * @throws ApiError `malformed_request`
 */
export function matchOneOperation(api: ProviderApi, method: string, path: string): Operation | null {
  const key = `${api} ${method} ${path}`;
  const remembered = known.get(key);
  if (remembered !== undefined) return remembered;
  const operation = matchOperation(api, method, path);
  if (operation === null && matchOperation(api, method, fold(path)) !== null) {
    throw new ApiError('malformed_request', 'request target differs from an operation only in case or a format');
  }
  if (known.size >= rememberedPaths) known.clear();
  known.set(key, operation);
  return operation;
}
