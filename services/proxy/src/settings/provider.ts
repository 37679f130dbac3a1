import type { defaultPaths, PathPattern } from '@agp/catalogue';
import type { Geo } from '@agp/core/geos';
import type { ProviderApi } from '@agp/core/operations';
import type { EgressProxy } from '@agp/runtime/egress';
import type { ProviderKey } from './provider-key.ts';

/** Where a provider's calls go: one of its keys or regions. */
export interface Endpoint {
  /** What events call it; null if its provider has no other. */
  endpoint: string | null;
  baseUrl: URL;
  /** The path of `baseUrl` without a closing slash: put before the request's. */
  basePath: string;
  /** Where its operator says that it processes calls. */
  geo: Geo | null;
  /** In place of the caller's credentials; null if these are forwarded. */
  apiKey: ProviderKey | null;
  /** By which its calls leave; null if they go directly. */
  proxy: EgressProxy | null;
  /** Its share of the sessions, beside the others'; 0 stands by. */
  weight: number;
}

/** A provider, as it is at one of its endpoints. */
export interface Provider extends Endpoint {
  id: string;
  api: ProviderApi;
  /** The same provider at each of its endpoints, itself among them; empty if there is but one. */
  endpoints: readonly Provider[];
  /** False for servers that refuse unknown fields. */
  asksForUsage: boolean;
  /** Each call tells it which event, agent and session it is of. */
  writesMetadata: boolean;
  /** Agents may run at the provider, where nobody meters or stops them. */
  allowsHostedAgents: boolean;
  /** Members of requests that name no model and bring no tool, whatever our tables know. */
  harmlessMembers: readonly string[];
  /** ARNs of Bedrock that hide a model, each with that model. */
  profiles: ReadonlyMap<string, string>;
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
