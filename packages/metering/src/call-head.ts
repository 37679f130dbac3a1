import type { AskedModel } from '@agp/catalogue';
import type { Geo } from '@agp/core/geos';
import type { Operation, ProviderApi } from './dialects/operation.ts';

export interface CallProvider {
  id: string;
  api: ProviderApi;
  baseUrl: URL;
  asksForUsage: boolean;
  /** Members of requests that its operator vouches for: they name no model and bring no tool. */
  harmlessMembers: readonly string[];
  /** Where its operator says that it processes calls. */
  geo: Geo | null;
}

export interface CallHead {
  provider: CallProvider;
  operation: Operation | null;
  method: string;
  /** The provider's path, without the query. */
  path: string;
  query: string;
  /** As they go to the provider; absent if none do. */
  headers?: Readonly<Record<string, unknown>>;
  timestamp: number;
  hasBody: boolean;
  serviceTier: string | null;
}

/** A model as price lists are asked for it. */
export function nameModel({ provider, operation, timestamp }: CallHead, model: string): AskedModel {
  const api = operation?.api ?? provider.api;
  return { provider: provider.id, api, baseUrl: provider.baseUrl.href, model, at: new Date(timestamp) };
}

/** The dearer tiers that a request asks for, each once. */
export function listTiers({ serviceTier }: CallHead, asked: { tiers: readonly string[] } | null): string[] {
  if (serviceTier === null && asked?.tiers.length === 0) return [];
  return [...new Set([...(asked?.tiers ?? []), ...(serviceTier === null ? [] : [serviceTier])])];
}
