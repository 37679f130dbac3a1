import { expect, test } from 'vitest';
import { caps, end, holder, lenient, measure } from '../../test/measure-call.ts';
import { makeHead, openMetering } from '../../test/open-metering.ts';

/** A form of `size` bytes, with sound in it. */
function makeForm(fields: Record<string, string>, size: number): Buffer {
  const parts = Object.entries(fields).map(
    ([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const before = `${parts.join('')}--b\r\nContent-Disposition: form-data; name="file"; filename="a.mp3"\r\n\r\n`;
  const after = '\r\n--b--\r\n';
  return Buffer.from(`${before}${'x'.repeat(Math.max(0, size - before.length - after.length))}${after}`);
}

const speech = { model: 'tts-1', voice: 'alloy', input: 'Hello.' };
const sound = { contentType: 'audio/mpeg', body: 'sound' };

test('sound that any of several models may have made costs its reservation', async () => {
  expect(await measure('/v1/audio/speech', speech, sound)).toMatchObject({ costNanoUsd: 6 * 15_000 });
  const either = await measure('/v1/audio/speech', { ...speech, models: ['gpt-4o'] }, sound);
  expect(either.reserved).toBeGreaterThan(4_096 * 10_000);
  expect(either).toMatchObject({ costNanoUsd: either.reserved, usageSource: 'estimated', model: 'tts-1' });
});

const chat = { model: 'gpt-4o-mini', models: ['gpt-4o'], messages: [{ role: 'user', content: 'Hi' }] };
const usage = { prompt_tokens: 9, completion_tokens: 500 };

test('what runs in the background, from context that the request only names, costs its reservation', async () => {
  const strict = openMetering({ isStrict: true });
  const body = { model: 'gpt-4o-mini', input: 'Hi', background: true, max_output_tokens: 16 };
  const queued = { body: { model: 'gpt-4o-mini', status: 'queued', output: [], usage: null } };
  const named = await measure('/v1/responses', { ...body, previous_response_id: 'resp_0' }, queued, strict);
  expect(named.reserved).toBeGreaterThan(100_000 * 150);
  expect(named).toMatchObject({ costNanoUsd: named.reserved, usageSource: 'estimated' });
});

test('what runs in the background without figures is in doubt where its context is elsewhere', async () => {
  const body = { model: 'gpt-4o-mini', input: 'Hi', background: true, max_output_tokens: 16 };
  const queued = { body: { model: 'gpt-4o-mini', status: 'queued', output: [], usage: null } };
  const doubt = { reason: 'unreadable', promptTokens: 0, completionTokens: 0, costNanoUsd: 0 };
  const ask = (more: object, answer = queued) => measure('/v1/responses', { ...body, ...more }, answer);
  expect(await ask({ previous_response_id: 'resp_0' })).toMatchObject({ doubt });
  expect(await ask({ conversation: 'conv_0' })).toMatchObject({ doubt });
  expect(await ask({})).toMatchObject({ doubt: null });
  const told = { body: { ...queued.body, usage: { input_tokens: 9, output_tokens: 1 } as never } };
  expect(await ask({ previous_response_id: 'resp_0' }, told)).toMatchObject({ doubt: null, usageSource: 'provider' });

  const gemini = { model: 'gemini-2.5-flash', input: 'Hi', background: true };
  const running = { body: { model: 'gemini-2.5-flash', status: 'in_progress' } };
  const interact = (more: object) =>
    measure('/v1beta/interactions', { ...gemini, ...more }, running, lenient, 'gemini');
  expect(await interact({ previous_interaction_id: 'i0' })).toMatchObject({ doubt });
  expect(await interact({})).toMatchObject({ doubt: null });
});

test('sound whose tokens the request foretells costs those, not its reservation', async () => {
  const spoken = await measure('/v1/audio/speech', { ...speech, model: 'gpt-4o-mini-tts' }, sound);
  expect(spoken.completionTokens).toBe(8);
  expect(spoken.costNanoUsd).toBeLessThan(spoken.reserved / 100);
});

test('sound without a length costs by its size where its model is paid by length', async () => {
  const path = '/v1/audio/transcriptions';
  const plain = (body: string) => ({ contentType: 'text/plain', body });
  const asText = { model: 'whisper-1', response_format: 'text' };
  // 2,000 bytes a second, at 0.36 USD an hour.
  const second = 100_000;
  const text = await measure(path, makeForm(asText, 600_000), plain('Hi.\n'));
  expect(text).toMatchObject({ costNanoUsd: 300 * second, usageSource: 'estimated', unpriced: [] });
  expect(text.reserved).toBe(300 * second);
  expect(await measure(path, makeForm(asText, 600_000), plain(''))).toMatchObject({ costNanoUsd: 300 * second });
  expect(await measure(path, makeForm(asText, 600_000), { body: { text: 'Hi.' } })).toMatchObject({
    costNanoUsd: 300 * second,
  });
  const seconds = { text: 'Hi.', usage: { type: 'duration', seconds: 11 } };
  expect(await measure(path, makeForm(asText, 600_000), { body: seconds })).toMatchObject({
    costNanoUsd: 11 * second,
    usageSource: 'provider',
  });
  const figures = { type: 'tokens', input_tokens: 900, output_tokens: 7 };
  const tokens = { body: { text: 'Hi.', usage: figures } };
  expect(await measure(path, makeForm(asText, 600_000), tokens)).toMatchObject({
    costNanoUsd: 300 * second,
    usageSource: 'estimated',
    promptTokens: 900,
    unpriced: [],
  });
  expect(await measure(path, makeForm({ ...asText, model: 'never-heard-of' }, 600_000), tokens)).toMatchObject({
    usageSource: 'provider',
    unpriced: ['never-heard-of'],
  });
  // Nobody sees how long it is.
  for (const url of ['https://sounds.test/a.mp3', `https://sounds.test/a.mp3?p=${'x'.repeat(4_100)}`]) {
    const elsewhere = makeForm({ ...asText, url }, 0);
    expect(await measure(path, elsewhere, plain('Hi.\n'))).toMatchObject({ costNanoUsd: 3_600 * second });
  }
  // It is paid by tokens, and its answer is whole.
  const inTokens = await measure(path, makeForm({ ...asText, model: 'gpt-4o-transcribe' }, 600_000), plain('Hi.\n'));
  expect(inTokens.costNanoUsd).toBeLessThan(inTokens.reserved);
});

test('sound whose length nobody tells costs its reservation', async () => {
  const entry = { model: 'heard', prices: { input_audio_hours: 0.36, output_mtok: 1 } };
  const answer = { contentType: 'text/plain', body: 'Hi.\n' };
  const form = makeForm({ model: 'heard' }, 20_000);
  const heard = await measure('/v1/audio/transcriptions', form, answer, openMetering({}, [entry]));
  expect(heard.reserved).toBe(10 * 100_000 + 4_096 * 1_000);
  expect(heard).toMatchObject({ costNanoUsd: heard.reserved });
});

test('subtitles cost to their last cue, but no less than the file must last', async () => {
  const path = '/v1/audio/transcriptions';
  const srt = { contentType: 'text/plain', body: '1\n00:00:00,000 --> 00:00:05,000\nHi.\n\n' };
  const fields = { model: 'whisper-1', response_format: 'srt' };
  expect(await measure(path, makeForm(fields, 192_000), srt)).toMatchObject({ costNanoUsd: 500_000 });
  expect(await measure(path, makeForm(fields, 3_840_000), srt)).toMatchObject({ costNanoUsd: 2_000_000 });
});

test('figures without a model are priced by the dearest model asked for', async () => {
  const path = '/v1/chat/completions';
  const unnamed = await measure(path, chat, { body: { choices: [], usage } });
  expect(unnamed).toMatchObject({ costNanoUsd: 9 * 2_500 + 500 * 10_000, usageSource: 'provider' });
  const named = await measure(path, chat, { body: { model: 'gpt-4o-mini', choices: [], usage } });
  expect(named).toMatchObject({ costNanoUsd: 9 * 150 + 500 * 600, usageSource: 'provider' });
});

test('what the provider bills is the record, whatever the request asked for; what no call can have used is estimated', async () => {
  const claim = (prompt_tokens: number, completion_tokens: number) =>
    measure(
      '/v1/chat/completions',
      { ...chat, models: undefined, max_tokens: 10 },
      { body: { model: 'gpt-4o-mini', choices: [], usage: { prompt_tokens, completion_tokens } } },
    );
  for (const [prompt, completion] of [
    [9, 500],
    [900_000, 1],
    [8_388_608, 8_388_608],
  ] as const) {
    expect(await claim(prompt, completion)).toMatchObject({
      promptTokens: prompt,
      completionTokens: completion,
      costNanoUsd: prompt * 150 + completion * 600,
      usageSource: 'provider',
      doubt: null,
    });
  }
  const absurd = await claim(8_388_609, 1);
  expect(absurd).toMatchObject({
    usageSource: 'estimated',
    doubt: { reason: 'claim_too_large', promptTokens: 8_388_609, completionTokens: 1 },
  });
  expect(absurd.promptTokens).toBeLessThan(100);
  expect(absurd.costNanoUsd).toBeGreaterThanOrEqual(absurd.reserved);
});

test('an unknown path costs what was reserved for it under a cap, unless the provider refused it', async () => {
  const head = makeHead('openai', '/v1/unheard/of');
  const reservation = { nanoUsd: lenient.findReservation(head, null, caps), isCapped: true };
  const meter = () =>
    lenient.open({ head, holder, body: null, reservation, claimBill: async () => true, findClaim: async () => null });
  const paid = { costNanoUsd: 10_000_000, usageSource: 'estimated', isUnknownPath: true };
  expect(await meter().measure(end)).toMatchObject(paid);
  expect(await meter().measure({ ...end, status: 404 })).toMatchObject({ costNanoUsd: 0, isUnknownPath: false });
});

test('a batch from a file costs what an unknown path does under a cap, and is in doubt', async () => {
  const path = '/v1beta/models/gemini-2.5-flash:batchGenerateContent';
  const made = { body: { name: 'batches/b', metadata: { state: 'BATCH_STATE_PENDING' } } };
  const batch = (inputConfig: object) => measure(path, { batch: { inputConfig } }, made, lenient, 'gemini');
  const paid = { costNanoUsd: 10_000_000, usageSource: 'estimated', model: 'gemini-2.5-flash', isUnknownPath: false };
  const doubt = { reason: 'unreadable', promptTokens: 0, completionTokens: 0, costNanoUsd: 0 };
  expect(await batch({ fileName: 'files/f' })).toMatchObject({ ...paid, doubt });
  const requests = [{ request: { contents: [{ parts: [{ text: 'Hi' }] }] } }];
  const inline = await batch({ requests: { requests } });
  expect(inline).toMatchObject({ costNanoUsd: 0, usageSource: 'none', doubt: null });

  const head = makeHead('gemini', path);
  const bytes = Buffer.from('{"batch":{"input_config":{"file_name":"files/f"}}}');
  const form = { contentType: 'application/json', contentEncoding: '' };
  const none = { isCapped: false, mayRefuse: false };
  if (!head.operation) throw new Error('no operation');
  const body = lenient.inspect(head.operation, head, bytes, form, none);
  const reservation = { nanoUsd: 0, isCapped: false };
  const meter = () =>
    lenient.open({ head, holder, body, reservation, claimBill: async () => true, findClaim: async () => null });
  expect(await meter().measure(end)).toMatchObject({ costNanoUsd: 0, doubt });
  expect(await meter().measure({ ...end, status: 400 })).toMatchObject({ costNanoUsd: 0, doubt: null });
});

test('a price for each request does not make a whole answer without figures cost its reservation', async () => {
  const own = [{ model: 'own', prices: { input_mtok: 1, output_mtok: 1, requests_kcount: 5 } }];
  const answer = { body: { model: 'own', choices: [{ message: { content: 'Well.' } }] } };
  const question = { model: 'own', messages: [{ role: 'user', content: 'Well?' }] };
  const measured = await measure('/v1/chat/completions', question, answer, openMetering({}, own));
  expect(measured.usageSource).toBe('estimated');
  expect(measured.costNanoUsd).toBeGreaterThan(5_000_000);
  expect(measured.costNanoUsd).toBeLessThan(measured.reserved);
});

const prices = { input_mtok: 1, output_mtok: 2 };
const dear = { input_mtok: 2, output_mtok: 4 };
const tiered = openMetering({ isStrict: true }, [
  { model: 'm', prices, service_tiers: { priority: dear, fast: prices } },
]);

test.each([
  ['header', 'priority', {}],
  ['body', null, { service_tier: 'priority' }],
])('a tier asked for in the %s costs its price where the answer names none', async (_where, serviceTier, more) => {
  const question = { model: 'm', messages: [{ role: 'user', content: 'x'.repeat(1_000) }], max_tokens: 100 };
  // Not held by the cap: an estimate is then recorded as it is.
  const ask = (body: object, tier: string | null) => (answer: object) =>
    measure('/v1/chat/completions', body, { body: answer }, tiered, 'openai', { serviceTier: tier, isCapped: false });
  const [asked, plain] = [ask({ ...question, ...more }, serviceTier), ask(question, null)];
  const told = { model: 'm', choices: [], usage: { prompt_tokens: 1_000, completion_tokens: 100 } };
  const standard = 1_000 * 1_000 + 100 * 2_000;
  const priced = await asked(told);
  expect(priced).toMatchObject({ costNanoUsd: 2 * standard, usageSource: 'provider' });
  expect(priced.priceVersion).toMatch(/, priority$/);
  expect(await plain(told)).toMatchObject({ costNanoUsd: standard });
  // A header and the body may name two.
  const twice = await ask({ ...question, service_tier: 'priority' }, 'fast')(told);
  expect(twice.costNanoUsd).toBe(2 * standard);
  expect(await asked({ ...told, service_tier: 'default' })).toMatchObject({ costNanoUsd: standard });

  const untold = { model: 'm', choices: [{ message: { content: 'Well.' } }] };
  const [cheap, estimated] = [await plain(untold), await asked(untold)];
  expect(estimated).toMatchObject({ promptTokens: cheap.promptTokens, usageSource: 'estimated' });
  expect(estimated.costNanoUsd).toBe(2 * cheap.costNanoUsd);
});
