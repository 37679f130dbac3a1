import type { ProviderApi } from '@agp/core/operations';
/** Where a client is pointed, and the headers it is given: all that an agent changes. */
export interface Target {
  /** Before the provider's own paths. */
  baseUrl: string;
  headers: Record<string, string>;
  /** After which the client gives up, in milliseconds; its own default if not given. */
  timeoutMs?: number;
  /** How often the client asks again where the proxy's machine is too busy to read a status; 0 if not given. */
  maxRetries?: number;
  /** With which the caller ends the call. */
  signal?: AbortSignal;
}

/** What a client handed to its caller. */
export interface Outcome {
  /** The answer, or every chunk of a stream in order. */
  answer: unknown;
  /** The response's headers, as the client shows them. */
  headers: Record<string, string>;
}

/** One call of an official client. */
export interface SdkCall {
  name: string;
  provider: ProviderApi;
  run(target: Target): Promise<Outcome>;
}

/** Reads a stream to its end. */
export async function collect(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const chunks: unknown[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}
