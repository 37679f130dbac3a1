/** A forwarded request as operators see it after its proxy was killed. */
export interface ForwardedRequest {
  sessionId: string;
  /** The provider's id. */
  provider: string;
  /** As the request named it; null where none was read. At most 256 characters. */
  model: string | null;
}

/** The form in Redis. Ids of sessions and providers contain no `|`; a model's name may. */
export function writeForwarded({ sessionId, provider, model }: ForwardedRequest): string {
  return `${sessionId}|${provider}|${model ?? ''}`;
}

/** @returns null for a text that is not from {@link writeForwarded} */
export function parseForwarded(text: string): ForwardedRequest | null {
  const [, sessionId, provider, model] = /^([^|]+)\|([^|]+)\|(.*)$/s.exec(text) ?? [];
  if (sessionId === undefined || provider === undefined) return null;
  return { sessionId, provider, model: model || null };
}
