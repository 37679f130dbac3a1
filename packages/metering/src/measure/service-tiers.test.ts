import { expect, test } from 'vitest';
import { makeHead, openMetering } from '../../test/open-metering.ts';

const prices = { input_mtok: 1, output_mtok: 2 };
const dear = { input_mtok: 2, output_mtok: 4 };
const caps = { isCapped: true, isHeld: true };
const strict = openMetering({ isStrict: true }, [{ model: 'm', prices, service_tiers: { priority: dear } }]);
const holder = { agentId: 'a', source: null };
const end = { outcome: 'completed', sent: true, status: 200, streamed: false } as const;
const usage = { prompt_tokens: 1_000, completion_tokens: 100 };
const standard = 1_000 * 1_000 + 100 * 2_000;

interface Asked {
  header?: string;
  more?: object;
}

async function ask({ header, more }: Asked, answer: object) {
  const head = makeHead('openai', '/v1/chat/completions', { serviceTier: header ?? null });
  const question = { model: 'm', messages: [{ role: 'user', content: 'x'.repeat(1_000) }], max_tokens: 100, ...more };
  const form = { contentType: 'application/json', contentEncoding: '' };
  if (!head.operation) throw new Error('no operation');
  const body = strict.inspect(head.operation, head, Buffer.from(JSON.stringify(question)), form, caps);
  const nanoUsd = strict.reserve(head, body, caps);
  // Not held by the cap: an estimate is then recorded as it is.
  const reservation = { nanoUsd, isCapped: false };
  const meter = strict.open({ head, holder, body, reservation, claimBill: async () => true });
  meter.openTap({ 'content-type': 'application/json' })?.push(Buffer.from(JSON.stringify(answer)));
  return { reserved: nanoUsd, ...(await meter.measure(end)) };
}

test.each<[string, Asked]>([
  ['header', { header: 'priority' }],
  ['body', { more: { service_tier: 'priority' } }],
])('a tier asked for in the %s costs its price where the answer names none', async (_where, asked) => {
  const told = { model: 'm', choices: [], usage };
  const priced = await ask(asked, told);
  expect(priced).toMatchObject({ costNanoUsd: 2 * standard, usageSource: 'provider' });
  expect(priced.priceVersion).toMatch(/, priority$/);
  expect(await ask({}, told)).toMatchObject({ costNanoUsd: standard });
  expect(await ask(asked, { ...told, service_tier: 'default' })).toMatchObject({ costNanoUsd: standard });

  const untold = { model: 'm', choices: [{ message: { content: 'Well.' } }] };
  const [plain, estimated] = [await ask({}, untold), await ask(asked, untold)];
  expect(estimated).toMatchObject({ promptTokens: plain.promptTokens, usageSource: 'estimated' });
  expect(estimated.costNanoUsd).toBe(2 * plain.costNanoUsd);
});

test('results of a batch cost the price of batches, whatever their fetch asks for', async () => {
  const head = makeHead('gemini', '/v1beta/batches/b', { method: 'GET', hasBody: false, serviceTier: 'priority' });
  const reservation = { nanoUsd: 0, isCapped: true };
  const meter = strict.open({ head, holder, body: null, reservation, claimBill: async () => true });
  const usageMetadata = { promptTokenCount: 1_000, candidatesTokenCount: 0 };
  const inlinedResponses = [{ response: { modelVersion: 'gemini-2.5-flash', usageMetadata, candidates: [] } }];
  const batch = { name: 'batches/b', done: true, response: { inlinedResponses: { inlinedResponses } } };
  meter.openTap({ 'content-type': 'application/json' })?.push(Buffer.from(JSON.stringify(batch)));
  expect(await meter.measure(end)).toMatchObject({ costNanoUsd: 1_000 * 150, usageSource: 'provider' });
});
