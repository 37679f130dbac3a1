import { answerCanned, type FakeProvider, startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type System, startSystem } from '../system/start-system.ts';

let provider: FakeProvider;
let system: System;

beforeAll(async () => {
  provider = await startFakeProvider(answerCanned());
  system = await startSystem({ environment: { PROVIDER_ANTHROPIC_URL: provider.url } });
  const pii = { request: { email: 'redact' } };
  for (const [agent, more] of Object.entries({ passing: {}, refusing: { signed: 'refuse' } }))
    await system.api('/api/v1/policies', {
      method: 'POST',
      body: JSON.stringify({ name: agent, mode: 'enforce', match: { agents: [agent] }, pii: { ...pii, ...more } }),
    });
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await provider?.stop();
});

const thinking = { type: 'thinking', thinking: 'Ask jane@example.com.', signature: 'EqoB+AB9w==' };

/** One turn of a conversation in which a thought holds an address, and so does the answer behind it. */
async function send(agent: string) {
  const content = [thinking, { type: 'text', text: 'Ask jane@example.com.' }];
  const messages = [
    { role: 'user', content: 'Whom?' },
    { role: 'assistant', content },
    { role: 'user', content: 'Go on' },
  ];
  const response = await fetch(`${system.proxies[0]?.url}/anthropic/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-agent-name': agent, 'x-api-key': 'sk' },
    body: JSON.stringify({ model: 'claude-sonnet-4-5', max_tokens: 99, messages }),
  });
  return { status: response.status, text: await response.text() };
}

test('what a provider signed goes back as it came, and what stands beside it is redacted', async () => {
  expect((await send('passing')).status).toBe(200);
  const received = provider.requests.at(-1)?.body.toString();
  expect(received).toContain(JSON.stringify(thinking));
  expect(received).toMatch(/"text":"Ask \[email \w{6}\]\."/);
});

test('a call that holds what is redacted in a signed block is refused if a rule says so', async () => {
  const before = provider.requests.length;
  const { status, text } = await send('refusing');
  expect([status, text]).toEqual([403, expect.stringContaining('email of it in what its provider signed')]);
  expect(provider.requests.length).toBe(before);
});
