import type { Preview, TriedText } from '@agp/policy';
import { startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { labelledSentences } from '../pii/labelled-sentences.ts';
import { type System, startSystem, waitFor } from '../system/start-system.ts';
import { numberLabels } from './number-labels.ts';

const opened = new AsyncDisposableStack();
const received: string[] = [];
let system: System;

beforeAll(async () => {
  const provider = opened.use(
    await startFakeProvider(({ body }) => {
      received.push(JSON.parse(body.toString()).messages[0].content);
      return { body: {} };
    }),
  );
  system = opened.use(await startSystem({ environment: { PROVIDER_OPENAI_URL: provider.url } }));
});
afterAll(() => opened.disposeAsync());

const post = <Answer>(path: string, body: object) =>
  system.api<Answer>(path, { method: 'POST', body: JSON.stringify(body) });

const texts = [
  // Each takes a thread of its own.
  ...labelledSentences.filter((_, at) => at % 3 === 1).map((text) => text.replace(/\[[a-z_]+\|([^\]]*)\]/g, '$1')),
  'ada@example.com, bob@example.com and ada@example.com',
];
const policies = [
  { name: 'most', mode: 'enforce', pii: { request: { all: 'redact', us_ssn: 'block' } } },
  { name: 'cards', mode: 'enforce', pii: { request: { payment_card: 'redact' }, replace_with: 'last_four' } },
];

async function send(text: string, session: string) {
  const answer = await fetch(`${system.proxies[0]?.url}/openai/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-agent-name': 'a', 'x-session-id': session },
    body: JSON.stringify({ model: 'gpt-5-mini', messages: [{ role: 'user', content: text }] }),
  });
  return { status: answer.status, told: (await answer.text()).replaceAll('\\', '') };
}

test('what was found without a policy, and what a try shows, is what becomes of each text under it', async () => {
  for (const [index, text] of texts.entries()) await send(text, `before-${index}`);
  const count = async () => Number((await system.database.pool.query('SELECT count(*) FROM events')).rows[0]?.count);
  await waitFor('the events', async () => (await count()) === texts.length);
  const { refused, cannot_tell } = await post<Preview>('/api/v1/policies/preview', { policies, from: '1h' });
  const tried = [];
  for (const text of texts) tried.push(await post<TriedText>('/api/v1/policies/try', { policies, text }));
  for (const policy of policies) await post('/api/v1/policies', policy);
  received.length = 0;
  for (const [index, text] of texts.entries()) {
    const { sent, refusal } = tried[index] as TriedText;
    const { status, told } = await send(text, `after-${index}`);
    expect({
      text,
      status,
      sent: status === 200 ? numberLabels(received.pop() ?? '').replaceAll(/ (\d)\]/g, ' xxxxx$1]') : null,
    }).toEqual({
      ...{ text, sent, status: refusal === null ? 200 : 403 },
    });
    if (refusal !== null) expect(told).toContain(refusal);
  }
  const changed = tried.filter(({ sent }, index) => sent !== texts[index]).length;
  expect([refused, cannot_tell]).toEqual([changed, []]);
  expect(changed).toBeGreaterThan(texts.length / 3);
});
