import { anthropicOperations } from './anthropic/operations.ts';
import { geminiOperations } from './gemini/operations.ts';
import { openaiOperations } from './openai/operations.ts';
import type { Operation, ProviderApi } from './operation.ts';

/** Finds the operation of one API that a method and a path of the provider ask for. */
export type MatchPath = (path: string, method: 'GET' | 'POST') => Operation | null;

const matchers: Record<ProviderApi, MatchPath> = {
  openai: openaiOperations,
  anthropic: anthropicOperations,
  gemini: geminiOperations,
};

const apis = Object.keys(matchers) as ProviderApi[];

/**
 * What a request asks of a provider, where it is a model call that we can read; null for all else.
 * Providers that speak more than one format (Gemini has an OpenAI-compatible path) are matched by the
 * path, their own API first. The version in front of the path, if any, does not matter.
 *
 * @param path the provider's path, without the query
 */
export function matchOperation(api: ProviderApi, method: string, path: string): Operation | null {
  if (method !== 'POST' && method !== 'GET') return null;
  const plain = path.endsWith('/') ? path.slice(0, -1) : path;
  const own = matchers[api](plain, method);
  if (own) return own;
  for (const other of apis) {
    const operation = other === api ? null : matchers[other](plain, method);
    if (operation) return operation;
  }
  return null;
}
