import { randomUUID } from 'node:crypto';

/** What agents write here, and no trace may hold. */
export const content = 'words that no trace may hold';

export interface TracedCall {
  /** Of the proxy. */
  url: string | undefined;
  agentName?: string;
  path?: string;
  /** POST if not given. */
  method?: string;
  stream?: boolean;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** @returns the provider's answer, and the request's records, found by its own session */
export async function sendTraced({
  agentName = 'traced',
  path = '/openai/v1',
  method = 'POST',
  stream = false,
  headers,
  url,
  signal,
}: TracedCall) {
  const sessionId = `ses_${randomUUID()}`;
  const answer = await fetch(`${url}${path}/chat/completions`, {
    method,
    headers: { 'content-type': 'application/json', 'x-agent-name': agentName, 'x-session-id': sessionId, ...headers },
    body: JSON.stringify({ model: 'gpt-4o-mini', stream, messages: [{ role: 'user', content }] }),
    ...(signal ? { signal } : {}),
  });
  return { sessionId, answer };
}
