import type { Provider } from '../settings/provider.ts';

/** OpenAI's own base URL is accepted with and without `/v1`, and a base URL that ends in it does not double it. */
export function normalisePath({ id, api, basePath }: Pick<Provider, 'id' | 'api' | 'basePath'>, path: string): string {
  if (api !== 'openai') return path;
  const versioned = /^\/v1(?:\/|$)/.test(path);
  if (versioned && basePath.endsWith('/v1')) return path.slice('/v1'.length) || '/';
  return !versioned && id === 'openai' && basePath === '' ? `/v1${path}` : path;
}
