import { anthropic } from './dialects/anthropic/operations.ts';
import { gemini } from './dialects/gemini/operations.ts';
import { openai } from './dialects/openai/operations.ts';
import type { Dialect, Operation, ProviderApi } from './dialects/operation.ts';

/** The wire formats that providers speak. */
export const dialects: Readonly<Record<ProviderApi, Dialect>> = { openai, anthropic, gemini };

/** Words of operations' paths that have capitals, for comparisons in any case. */
export const operationWords: readonly string[] = Object.values(dialects).flatMap(({ words }) => words);

/** Whether an answer would hold a credential, in the words of any dialect: some servers speak several. */
export function handsOutCredential(path: string): boolean {
  return Object.values(dialects).some(({ credentialPaths }) => credentialPaths.test(path.toLowerCase()));
}

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
