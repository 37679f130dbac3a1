import { ApiError } from '@agp/core/errors';
import { matchOperation, type Operation, type ProviderApi } from '@agp/metering';
import { listPathReadings } from './list-path-readings.ts';

/** Agents use few paths again and again, and each takes 12 to 20 µs to read. Bounded, since paths come from agents. */
const known = new Map<string, Operation | null>();
const maxKnown = 1_000;

/**
 * Finds the operation that a request asks for, and refuses a path that a server could read as another one: metered as one
 * operation, or as none, and served as another, it would be free.
 *
 * @param path the provider's, without the query
 * @throws ApiError `malformed_request`
 */
export function matchOneOperation(api: ProviderApi, method: string, path: string): Operation | null {
  const key = `${api} ${method} ${path}`;
  const remembered = known.get(key);
  if (remembered !== undefined) return remembered;
  const operation = matchOperation(api, method, path);
  for (const reading of listPathReadings(path)) {
    const read = matchOperation(api, method, reading);
    if (read !== null && read !== operation) {
      throw new ApiError('malformed_request', 'request target reads as another operation once decoded');
    }
  }
  if (known.size >= maxKnown) known.clear();
  known.set(key, operation);
  return operation;
}
