import type { Operation, ProviderApi } from './dialects/operation.ts';

export interface CallProvider {
  id: string;
  api: ProviderApi;
  baseUrl: URL;
  asksForUsage: boolean;
}

export interface CallHead {
  provider: CallProvider;
  operation: Operation | null;
  method: string;
  /** The provider's path, without the query. */
  path: string;
  query: string;
  timestamp: number;
  hasBody: boolean;
  serviceTier: string | null;
}
