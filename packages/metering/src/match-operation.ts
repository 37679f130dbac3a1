import { anthropicOperations, anthropicWords } from './dialects/anthropic/operations.ts';
import { geminiOperations, geminiWords } from './dialects/gemini/operations.ts';
import { openaiOperations } from './dialects/openai/operations.ts';
import type { MatchPath, Operation, ProviderApi } from './dialects/operation.ts';

const matchers: Record<ProviderApi, MatchPath> = {
  openai: openaiOperations,
  anthropic: anthropicOperations,
  gemini: geminiOperations,
};

const apis = Object.keys(matchers) as ProviderApi[];

/** Words of operations' paths that have capitals, for comparisons in any case. */
export const operationWords: readonly string[] = [...anthropicWords, ...geminiWords];

/** Methods without a body. Some server may treat any other method as a POST. */
const bodiless = new Set(['HEAD', 'DELETE', 'OPTIONS']);

/**
 * Finds the model call that a request asks for, by its path: the provider's own API first, since some speak several. Null if
 * it is none that we can read.
 */
export function matchOperation(api: ProviderApi, method: string, path: string): Operation | null {
  if (bodiless.has(method)) return null;
  const asked = method === 'GET' ? 'GET' : 'POST';
  const plain = path.endsWith('/') ? path.slice(0, -1) : path;
  const own = matchers[api](plain, asked);
  if (own) return own;
  for (const other of apis) {
    const operation = other === api ? null : matchers[other](plain, asked);
    if (operation) return operation;
  }
  return null;
}
