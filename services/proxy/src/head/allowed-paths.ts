import { defaultPaths, type PathPattern } from '@agp/catalogue';
import { operationRows, startsBatch } from '@agp/core/operations';
import { type Operation, toWholePath } from '@agp/metering';
import { decodeOnce } from './query-parameters.ts';

/** A call that our key is for, as a whole path; an endpoint of Vertex AI serves whatever was put there. */
const callPath = toWholePath(
  [...operationRows.values()].filter(({ takesOurKey }) => takesOurKey).flatMap(({ path = [] }) => path),
  true,
  'models|tunedModels',
);

/** Paths that list and describe models: `/v1/models`, `/v1beta/models/{model}`, `/openai/models` ... */
const modelsPath = toWholePath(['models(?:/[^/]+){0,2}'], false);

/** Gemini's long-running operations, which anybody with the account's key can read; `%` could encode them. */
const modelsOwn = /\/models\/[^/]+\/(?:operations\/?$|[^/]*%)/i;

function isInDefaults(method: string, path: string, operation: Operation | null): boolean {
  if (method === 'GET') return [path, decodeOnce(path)].every((each) => modelsPath.test(each) && !modelsOwn.test(each));
  if (method !== 'POST' || operation === null || startsBatch(operation.name)) return false;
  return callPath.test(decodeOnce(path));
}

/**
 * Whether a request may use the provider's configured key, which opens the company's account; without a key (`patterns` null) callers
 * send their own.
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
