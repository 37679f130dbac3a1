import autocannon from 'autocannon';
import { chatRequest } from './chat-call.ts';

/** Keeps a target fully busy until the compilers are done with it, as with one that has run for a while. */
export async function warmUp(url: string, agents: number, seconds: number): Promise<void> {
  const headers = { 'content-type': 'application/json', authorization: 'Bearer sk-bench' };
  const requests = Array.from({ length: agents }, (_, agent) => ({
    method: 'POST' as const,
    headers: { ...headers, 'x-agent-name': `bench-${agent}` },
    body: chatRequest,
  }));
  await autocannon({ url, connections: 32, duration: Math.ceil(seconds), requests });
}
