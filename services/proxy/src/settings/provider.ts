/** One entry of `allow_paths`, taken apart. */
export interface PathPattern {
  /** Null for every method. */
  method: string | null;
  path: string;
  /** All paths that begin with `path` are allowed. */
  isPrefix: boolean;
}

/** The entry of `allow_paths` for the paths that are allowed without one. */
export const defaultPaths = 'default';

/** A server that agents may reach, by the id at the start of the path. */
export interface Provider {
  id: string;
  /** The request and answer formats that it speaks. */
  api: 'openai' | 'anthropic' | 'gemini';
  baseUrl: URL;
  /** The path of `baseUrl` without a closing slash: put before the request's. */
  basePath: string;
  /** The proxy asks for a stream's usage if the caller did not. False for servers that refuse unknown fields. */
  asksForUsage: boolean;
  /** Sent in place of the caller's credentials; null if these are forwarded. */
  apiKey: string | null;
  /** The requests that it may get; null allows all. */
  allowPaths: readonly (PathPattern | typeof defaultPaths)[] | null;
}
