import type { Operation } from '@agp/metering';
import { listPathReadings } from './list-path-readings.ts';

/** One entry of `allow_paths`, taken apart. */
export interface PathPattern {
  /** Null for every method. */
  method: string | null;
  path: string;
  /** `path` is the beginning of what is allowed, rather than all of it. */
  isPrefix: boolean;
}

/** Stands in `allow_paths` for what is allowed where there is none. */
export const defaultPaths = 'default';

const pattern = /^(?:([A-Z]+) )?(\/[\x21-\x7e]*)$/;

/** Reads `/path`, `/path*`, `METHOD /path` or `METHOD /path*`; null where it is none of them. */
export function parsePathPattern(text: string): PathPattern | null {
  const [, method = null, path = ''] = pattern.exec(text) ?? [];
  if (path === '' || /[?#]|\*./.test(path)) return null;
  const isPrefix = path.endsWith('*');
  return { method, path: isPrefix ? path.slice(0, -1) : path, isPrefix };
}

/** Lists and reads models: `/v1/models`, `/v1beta/models/{model}`, `/openai/models` ... */
const modelsPath = /^(?:\/(?:v\d[a-z0-9]*|api|inference|openai))*\/models(?:\/[^/]+){0,2}\/?$/;

/** What a model runs for anybody with the account's key (Gemini's long-running operations); `%` could write it in other ways. */
const modelsOwn = /\/models\/[^/]+\/(?:operations\/?$|[^/]*%)/;

/** Batches are the account's: anybody with its key can see and end them. */
const batchOperation = /^(?:messages\.batches|batchGenerate|asyncBatch)/;

/** However a server reads it: a path that one takes for a model's own is not a list's. */
const isModelList = (path: string) => modelsPath.test(path) && !modelsOwn.test(path);

function isInDefaults(method: string, path: string, operation: Operation | null): boolean {
  if (method === 'GET') return [path, ...listPathReadings(path)].every(isModelList);
  return method === 'POST' && operation !== null && !batchOperation.test(operation.name);
}

/**
 * Whether a request may go where the provider's configured key would open the company's account.
 * Compared with the path as it is sent on: one that is encoded in another way than the pattern is not allowed.
 *
 * @param patterns the provider's; null where every path is open, because its callers show keys of their own
 */
export function isAllowedPath(
  patterns: readonly (PathPattern | typeof defaultPaths)[] | null,
  method: string,
  path: string,
  operation: Operation | null,
): boolean {
  if (patterns === null) return true;
  return patterns.some((allowed) => {
    if (allowed === defaultPaths) return isInDefaults(method, path, operation);
    if (allowed.method !== null && allowed.method !== method) return false;
    return allowed.isPrefix ? path.startsWith(allowed.path) : path === allowed.path;
  });
}
