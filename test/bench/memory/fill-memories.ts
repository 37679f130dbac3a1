import autocannon from 'autocannon';
import { chatRequest, withNewTexts } from '../chat-call.ts';

const atOnce = 32;

/**
 * Sends as many calls as services remember things of: management the ids of 100,000 events, a proxy the digests of 20,000 texts. What
 * grows afterwards has no bound.
 */
export async function fillMemories(url: string, agents: number, calls: number): Promise<void> {
  if (calls === 0) return;
  const headers = { 'content-type': 'application/json' };
  const requests = Array.from({ length: agents }, (_, agent) => ({
    method: 'POST' as const,
    headers: { ...headers, 'x-agent-name': `bench-${agent}` },
    setupRequest: (request: autocannon.Request) => ({ ...request, body: withNewTexts(chatRequest) }),
  }));
  await autocannon({ url: `${url}/openai/v1/chat/completions`, connections: atOnce, amount: calls, requests });
}
