import { answerCanned, type FakeProvider, startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type System, startSystem } from '../system/start-system.ts';
import { frameworkAskers } from '../wire/sdks/framework-askers.ts';
import { officialAskers } from '../wire/sdks/official-askers.ts';
import { numberLabels } from './number-labels.ts';

let provider: FakeProvider;
let system: System;
const text = 'Ask "john.doe@example.com" \\ or call +44 20 7946 0958 today.';
const kept = 'Ask "[email 1]" \\ or call [phone 1] today.';
const toolCalls = [
  { id: 'call_1', name: 'mail', arguments: JSON.stringify({ to: 'mary@example.org', text: 'a\n"b"' }) },
];

beforeAll(async () => {
  provider = await startFakeProvider(answerCanned({ words: text.match(/.{1,3}/gsu) ?? [], toolCalls }));
  const urls = ['OPENAI', 'ANTHROPIC', 'GEMINI'].map((id) => [`PROVIDER_${id}_URL`, provider.url]);
  system = await startSystem({ environment: Object.fromEntries(urls) });
  for (const [name, pii] of Object.entries({
    redacted: { response: { contact: 'redact' } },
    blocked: { response: { email: 'block' } },
  })) {
    const policy = { name, mode: 'enforce', match: { agents: [`${name}-*`] }, pii };
    await system.api('/api/v1/policies', { method: 'POST', body: JSON.stringify(policy) });
  }
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await provider?.stop();
});

const askers = [...officialAskers, ...frameworkAskers];

/** All that a client shows its caller, and what it raises. */
async function observe({ name, provider: id, ask }: (typeof askers)[number], agent: string) {
  const shown: unknown[] = [];
  const headers = { 'X-Agent-Name': `${agent}-${name.replace(/\W+/g, '-')}` };
  const target = { baseUrl: `${system.proxies[0]?.url}/${id}`, headers, maxRetries: 3 };
  const raised = await ask(target, (part) => void shown.push(part)).catch((error: Error) => error);
  return { shown, raised };
}

/** What the model says of it, deltas put together. */
function join(value: unknown): string {
  if (typeof value !== 'object' || value === null) return '';
  return Object.entries(value)
    .map(([name, each]) => (typeof each === 'string' && /^(?:text|content|delta)$/.test(name) ? each : join(each)))
    .join('');
}

describe.each(askers)('$name', (asker) => {
  test('parses an answer that is redacted, its tool too', async () => {
    const { shown, raised } = await observe(asker, 'redacted');
    expect(raised).toBe(undefined);
    expect(numberLabels(join(JSON.parse(JSON.stringify(shown))))).toContain(kept);
    expect(JSON.stringify(shown)).not.toMatch(/john|mary|7946 0958/);
  });

  test('raises an error for one that is blocked', async () => {
    const { shown, raised } = await observe(asker, 'blocked');
    const told = `${raised instanceof Error ? raised.message : ''}${JSON.stringify(shown, (_, each) => (each instanceof Error ? each.message : each))}`;
    expect(told).toContain('denied by policy blocked (rule pii.response): its texts hold email');
    expect(told).not.toMatch(/john|example\.com/);
  });
});
