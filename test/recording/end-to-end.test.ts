import { answerCanned, startFakeProvider } from '@agp/testing/providers';
import { expect, test } from 'vitest';
import { startSystem, waitFor } from '../system/start-system.ts';

/** Reads a live stream into a text that grows. */
function follow(stream: Response): { text: () => string } {
  let text = '';
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of stream.body as ReadableStream<Uint8Array>)
      text += decoder.decode(chunk, { stream: true });
  })().catch(() => {});
  return { text: () => text };
}

test('a request through the proxy shows in the list and on the stream, priced and chained', async () => {
  await using provider = await startFakeProvider(answerCanned());
  await using system = await startSystem({ environment: { PROVIDER_OPENAI_URL: provider.url } });
  const leave = new AbortController();
  const headers = { authorization: `Bearer ${system.apiKey}`, accept: 'text/event-stream' };
  const live = follow(await fetch(`${system.management.url}/api/v1/events/stream`, { headers, signal: leave.signal }));

  const answer = await fetch(`${system.proxies[0]?.url}/openai/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-agent-name': 'first', 'x-session-id': 'monday' },
    body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] }),
  });
  expect(answer.status).toBe(200);
  await answer.text();
  const answered = performance.now();
  const id = answer.headers.get('x-event-id');

  const message = await waitFor(
    'the event on the stream',
    () => /event: agent_event\ndata: (.*)\n\n/.exec(live.text())?.[1],
  );
  const onStream = performance.now() - answered;
  const listed = await system.api<{ id: string }[]>('/api/v1/events');
  console.log(`an event is on the stream ${onStream.toFixed(0)} ms after the answer`);
  expect(JSON.parse(message)).toMatchObject({ id, model: 'gpt-4o', compliance_tag: 'default' });
  expect(listed).toEqual([expect.objectContaining({ id, session_id: answer.headers.get('x-session-id') })]);
  leave.abort();
});
