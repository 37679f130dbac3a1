import { answerCanned, startFakeProvider } from '@agp/testing/providers';
import { expect, test } from 'vitest';
import { readPayload } from '../system/read-payload.ts';
import { startSystem } from '../system/start-system.ts';

/** A system with these settings, and what asks it without an id of a session: the session and what was recorded. */
async function start(environment: Record<string, string>) {
  const opened = new AsyncDisposableStack();
  const provider = await startFakeProvider(answerCanned());
  opened.defer(() => provider.stop());
  const system = opened.use(await startSystem({ environment: { PROVIDER_OPENAI_URL: provider.url, ...environment } }));
  const ask = async (content: string) => {
    const answer = await fetch(`${system.proxies[0]?.url}/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-agent-name': 'writer' },
      body: JSON.stringify({ model: 'gpt-5-mini', messages: [{ role: 'user', content }] }),
    });
    await answer.arrayBuffer();
    return answer.headers.get('x-session-id') ?? '';
  };
  return { system, ask, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

const text = 'Write to jane.roe@example.com. Best regards, Jane Roe';

test('PII_SCAN=off searches nothing, and SESSION_IDLE_SECONDS ends a session that nobody names', async () => {
  await using off = await start({ PII_SCAN: 'off', SESSION_IDLE_SECONDS: '1' });
  const session = await off.ask(text);
  expect(await readPayload(off.system, session)).toMatchObject({
    pii_detected: false,
    pii_types: [],
    pii_scan: 'none',
  });
  // Each look begins the second anew.
  await expect.poll(() => off.ask('Next?'), { interval: 1_500, timeout: 30_000 }).not.toBe(session);
});

test('PII_PERSON_NAMES=true finds names too; a session goes on for half an hour if nothing else is set', async () => {
  await using on = await start({ PII_PERSON_NAMES: 'true' });
  const session = await on.ask(text);
  expect((await readPayload(on.system, session)).pii_types).toEqual(['email', 'person_name']);
  expect(await on.ask('Next?')).toBe(session);
});
