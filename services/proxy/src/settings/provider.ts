import type { defaultPaths, PathPattern } from '@agp/catalogue';
import type { Geo } from '@agp/core/geos';
import type { ProviderApi } from '@agp/core/operations';
import type { ProviderKey } from './provider-key.ts';

export interface Provider {
  id: string;
  api: ProviderApi;
  baseUrl: URL;
  /** The path of `baseUrl` without a closing slash: put before the request's. */
  basePath: string;
  /** False for servers that refuse unknown fields. */
  asksForUsage: boolean;
  /** Where its operator says that it processes calls. */
  geo: Geo | null;
  /** Agents may run at the provider, where nobody meters or stops them. */
  allowsHostedAgents: boolean;
  /** Members of requests that name no model and bring no tool, whatever our tables know. */
  harmlessMembers: readonly string[];
  /** In place of the caller's credentials; null if these are forwarded. */
  apiKey: ProviderKey | null;
  /** Null allows all. */
  allowPaths: readonly (PathPattern | typeof defaultPaths)[] | null;
}

/** OpenAI's base URL is accepted with and without `/v1`, and one that ends in it does not double it. */
export function normalisePath({ id, api, basePath }: Pick<Provider, 'id' | 'api' | 'basePath'>, path: string): string {
  if (api !== 'openai') return path;
  const versioned = /^\/v1(?:\/|$)/.test(path);
  if (versioned && basePath.endsWith('/v1')) return path.slice('/v1'.length) || '/';
  return !versioned && id === 'openai' && basePath === '' ? `/v1${path}` : path;
}

/** As written and as the proxy forwards it. `/v1*` stays: without `/v1` it would be every path. */
export function listSpellings(provider: Provider, written: PathPattern): PathPattern[] {
  const path = written.path === '/v1' ? written.path : normalisePath(provider, written.path);
  return path === written.path ? [written] : [written, { ...written, path }];
}
