/**
 * The request's id for its caller. `X-Request-Id` is left to the provider where it sends one, as SDKs show that to people who ask the
 * provider about a call.
 */
export function requestIdHeaders(requestId: string, ofProvider?: unknown): Record<string, string> {
  const own = { 'X-Agp-Request-Id': requestId };
  return ofProvider === undefined ? { 'X-Request-Id': requestId, ...own } : own;
}
