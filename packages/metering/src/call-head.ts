import type { Operation, ProviderApi } from './dialects/operation.ts';

export interface CallProvider {
  id: string;
  api: ProviderApi;
  baseUrl: URL;
  /** Streams are asked for their usage where the caller did not. */
  asksForUsage: boolean;
}

export interface CallHead {
  provider: CallProvider;
  /** Null if we do not know how to read what is asked. */
  operation: Operation | null;
  method: string;
  /** The provider's path, without the query. */
  path: string;
  query: string;
  /** In milliseconds since 1970 UTC. */
  timestamp: number;
  hasBody: boolean;
  /** The service tier that a header asks for, as {@link readTierHeader} reads it; null if none does. */
  serviceTier: string | null;
}
