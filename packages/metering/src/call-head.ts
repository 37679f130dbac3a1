import type { Operation, ProviderApi } from './dialects/operation.ts';

/** The server that a call goes to. */
export interface CallProvider {
  id: string;
  /** The wire format that it speaks. */
  api: ProviderApi;
  baseUrl: URL;
  /** Streams are asked for their usage where the caller did not. */
  asksForUsage: boolean;
}

/** A request before its body is read. */
export interface CallHead {
  provider: CallProvider;
  /** Null where we do not know how to read what is asked. */
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
