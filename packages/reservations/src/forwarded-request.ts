/** What is told of a forwarded request to whoever asks after it when its proxy is gone. */
export interface ForwardedRequest {
  sessionId: string;
  /** The provider's id. */
  provider: string;
  /** As the request named it; null where none was read. At most 256 characters. */
  model: string | null;
}

/** As it stands in Redis. Neither ids of sessions nor of providers have a `|`; a model's name may. */
export function writeForwarded({ sessionId, provider, model }: ForwardedRequest): string {
  return `${sessionId}|${provider}|${model ?? ''}`;
}

/** @returns null for what {@link writeForwarded} did not write */
export function parseForwarded(text: string): ForwardedRequest | null {
  const [, sessionId, provider, model] = /^([^|]+)\|([^|]+)\|(.*)$/s.exec(text) ?? [];
  if (sessionId === undefined || provider === undefined) return null;
  return { sessionId, provider, model: model || null };
}
