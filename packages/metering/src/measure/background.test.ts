import { expect, test } from 'vitest';
import { caps, end, holder } from '../../test/measure-call.ts';
import { makeHead, openMetering } from '../../test/open-metering.ts';

const metering = openMetering();

/** Calls of one provider, whose claims are kept as in storage, by the number of the call. */
function openCalls(provider = 'openai', isCapped = true, claims = new Map<string, string>()) {
  let calls = 0;
  return async (method: string, path: string, body: object | null, answer: object | string, ended: object = {}) => {
    const event = `event ${calls++}`;
    const head = makeHead(provider, path, { method, hasBody: body !== null });
    if (!head.operation) throw new Error(`no operation at ${path}`);
    const form = { contentType: 'application/json', contentEncoding: '' };
    const bytes = Buffer.from(JSON.stringify(body));
    const inspected = body && metering.inspect(head.operation, head, bytes, form, caps);
    const nanoUsd = metering.findReservation(head, inspected, caps);
    const claimBill = async (bill: string) => {
      if (!claims.has(bill)) claims.set(bill, event);
      return claims.get(bill) === event;
    };
    const findClaim = async (bill: string) => claims.get(bill) ?? null;
    const meter = metering.open({
      head,
      holder,
      body: inspected,
      reservation: { nanoUsd, isCapped },
      claimBill,
      findClaim,
    });
    const isStream = typeof answer === 'string';
    meter
      .openPipe({ 'content-type': isStream ? 'text/event-stream' : 'application/json' })
      ?.push(Buffer.from(isStream ? answer : JSON.stringify(answer)));
    return { reserved: nanoUsd, ...(await meter.measure({ ...end, streamed: isStream, ...ended })) };
  };
}

const event = (type: string, response: object) => `data: ${JSON.stringify({ type, response })}\n\n`;
const model = 'gpt-4o-mini';
const asked = { model, input: 'Hi', background: true, max_output_tokens: 1_000 };
const queued = { id: 'resp_1', model, status: 'queued', background: true, output: [], usage: null };
const usage = { input_tokens: 100, output_tokens: 50, total_tokens: 150 };
const done = { ...queued, status: 'completed', usage };
/** At 0.15 and 0.6 USD a million. */
const billed = { costNanoUsd: 100 * 150 + 50 * 600, promptTokens: 100, completionTokens: 50, usageSource: 'provider' };
const nothing = { costNanoUsd: 0, promptTokens: 0, usageSource: 'none', heldNanoUsd: 0, doubt: null };
const later = { costNanoUsd: 0, promptTokens: 0, usageSource: 'none' };

test('work in the background is held at its reservation and listed, until a later answer bills it, once', async () => {
  const call = openCalls();
  const started = await call('POST', '/v1/responses', asked, queued);
  expect(started).toMatchObject({ ...later, heldNanoUsd: started.reserved, settledEventId: null });
  expect(started.cancelPath).toBe('/v1/responses/resp_1/cancel');
  expect(started.doubt).toMatchObject({ reason: 'billed_later', completionTokens: 1_000 });
  expect(started.reserved).toBeGreaterThan(1_000 * 600);
  const get = (answer: object, ended = {}) => call('GET', '/v1/responses/resp_1', null, answer, ended);
  expect(await get({ ...queued, status: 'in_progress' })).toMatchObject({ ...nothing, settledEventId: null });
  expect(await get(done, { outcome: 'aborted' })).toMatchObject({ ...nothing, settledEventId: null });
  expect(await get(done)).toMatchObject({ ...billed, settledEventId: 'event 0' });
  expect(await get(done)).toMatchObject(nothing);
});

test('the event that ended work in the background has a claim by the name of the one that started it', async () => {
  for (const last of [done, { ...queued, status: 'failed' }]) {
    const claims = new Map<string, string>();
    const call = openCalls('openai', true, claims);
    await call('POST', '/v1/responses', asked, queued);
    const get = (answer: object) => call('GET', '/v1/responses/resp_1', null, answer);
    await get({ ...queued, status: 'in_progress' });
    expect(claims.get('event 0 ended')).toBeUndefined();
    for (let times = 0; times < 2; times++) await get(last);
    expect(claims.get('event 0 ended')).toBe('event 2');
  }
});

test.each<[string, string, object | string, object]>([
  ['a stream of it', 'GET', event('response.created', queued) + event('response.completed', done), {}],
  ['a stream of it, left at its end', 'GET', event('response.completed', done), { outcome: 'aborted' }],
  ['the answer to its cancellation', 'POST', { ...done, status: 'cancelled' }, {}],
  ['what there is of it', 'GET', { ...done, status: 'incomplete' }, {}],
])('%s bills it too', async (_, method, answer, ended) => {
  const call = openCalls('openai', false);
  const stream = event('response.created', queued);
  expect(await call('POST', '/v1/responses', { ...asked, stream: true }, stream)).toMatchObject(later);
  const path = `/v1/responses/resp_1${method === 'POST' ? '/cancel' : ''}`;
  expect(await call(method, path, null, answer, ended)).toMatchObject({ ...billed, settledEventId: 'event 0' });
});

test('what failed without figures is free, and what was cancelled without figures stays held', async () => {
  const call = openCalls();
  for (const id of ['resp_1', 'resp_2']) await call('POST', '/v1/responses', asked, { ...queued, id });
  const failed = { ...queued, status: 'failed', error: { code: 'server_error', message: 'no' } };
  expect(await call('GET', '/v1/responses/resp_1', null, failed)).toMatchObject({
    ...nothing,
    settledEventId: 'event 0',
  });
  const cancelled = { ...queued, id: 'resp_2', status: 'cancelled' };
  expect(await call('GET', '/v1/responses/resp_2', null, cancelled)).toMatchObject({
    ...nothing,
    settledEventId: null,
  });
});

test('what was started without us is billed to the first that fetches it, if it says that it was in the background', async () => {
  const call = openCalls();
  expect(await call('GET', '/v1/responses/resp_1', null, done)).toMatchObject({ ...billed, settledEventId: null });
  expect(await call('GET', '/v1/responses/resp_1', null, done)).toMatchObject(nothing);
  const { background: _, ...plain } = done;
  expect(await call('GET', '/v1/responses/resp_2', null, { ...plain, id: 'resp_2' })).toMatchObject(nothing);
});

test('what was billed when it was made is free to look at: in the foreground, or streamed to its end', async () => {
  const call = openCalls();
  const stream = event('response.created', queued) + event('response.completed', done);
  expect(await call('POST', '/v1/responses', { ...asked, stream: true }, stream)).toMatchObject(billed);
  expect(
    await call('POST', '/v1/responses', { model, input: 'Hi' }, { ...done, background: false, id: 'resp_2' }),
  ).toMatchObject(billed);
  expect(await call('GET', '/v1/responses/resp_1', null, done)).toMatchObject(nothing);
  expect(await call('GET', '/v1/responses/resp_2', null, { ...done, background: false })).toMatchObject(nothing);
  const chat = { id: 'c', model, choices: [], usage: { prompt_tokens: 9, completion_tokens: 9 } };
  expect(await call('GET', '/v1/chat/completions/c', null, chat)).toMatchObject(nothing);
});

test.each<[string, string, string, object, object, string, object]>([
  [
    "Gemini's interactions",
    'gemini',
    '/v1beta/interactions',
    { model: 'gemini-2.5-flash', input: 'Hi', background: true },
    { id: 'x', status: 'in_progress' },
    '/v1beta/interactions/x',
    {
      id: 'x',
      model: 'gemini-2.5-flash',
      status: 'completed',
      usage: { total_input_tokens: 1_000, total_output_tokens: 100, total_tokens: 1_100 },
    },
  ],
  [
    "xAI's deferred chats",
    'openai',
    '/v1/chat/completions',
    { model: 'gpt-4o', messages: [], deferred: true },
    { request_id: 'x' },
    '/v1/chat/deferred-completion/x',
    { model: 'gpt-4o', choices: [], usage: { prompt_tokens: 220, completion_tokens: 0, total_tokens: 220 } },
  ],
  [
    "Perplexity's chats",
    'openai',
    '/async/chat/completions',
    { request: { model: 'gpt-4o', messages: [] } },
    { id: 'x', status: 'CREATED' },
    '/async/chat/completions/x',
    {
      id: 'x',
      status: 'COMPLETED',
      response: {
        model: 'gpt-4o',
        choices: [],
        usage: { prompt_tokens: 220, completion_tokens: 0, total_tokens: 220 },
      },
    },
  ],
])('so are %s', async (_, provider, path, request, answer, laterPath, result) => {
  const call = openCalls(provider);
  const started = await call('POST', path, request, answer);
  expect(started).toMatchObject({ ...later, heldNanoUsd: started.reserved });
  expect(await call('GET', laterPath, null, { ...result, status: 'in_progress' })).toMatchObject(nothing);
  // 1,000 and 100 tokens at 0.3 and 2.5 USD a million, or 220 at 2.5.
  const bill = { costNanoUsd: 550_000, settledEventId: 'event 0', usageSource: 'provider' };
  expect(await call('GET', laterPath, null, result)).toMatchObject(bill);
  expect(await call('GET', laterPath, null, result)).toMatchObject(nothing);
});

test('a batch is billed by its figures at half the price, once, and without any it is listed and costs the fixed amount', async () => {
  const call = openCalls();
  const batch = { id: 'b', model: 'gpt-4o-2024-08-06', status: 'completed' };
  const told = { ...batch, usage: { input_tokens: 500_000, output_tokens: 100_000, total_tokens: 600_000 } };
  expect(await call('POST', '/v1/batches', { input_file_id: 'f' }, batch)).toMatchObject({
    ...nothing,
    reserved: 10_000_000,
  });
  // 500,000 and 100,000 tokens at half of 2.5 and 10 USD a million, wherever they are shown first.
  const shown: [string, object][] = [
    ['/v1/batches/b', told],
    ['/v1/batches', { data: [told, { status: 'in_progress' }] }],
  ];
  for (const order of [shown, shown.toReversed()]) {
    const fetch = openCalls();
    const [[path, answer], [other, again]] = order as [[string, object], [string, object]];
    expect(await fetch('GET', path, null, answer)).toMatchObject({ costNanoUsd: 1_125_000_000, doubt: null });
    for (const each of [answer, again])
      expect(await fetch('GET', each === answer ? path : other, null, each)).toMatchObject(nothing);
  }
  // Many requests together are larger than any call, and not one has the size from which a model costs more.
  const large = {
    ...told,
    model: 'gpt-5.4',
    usage: { input_tokens: 20_000_000, output_tokens: 0, total_tokens: 20_000_000 },
  };
  for (const counts of [{ request_counts: { total: 200, completed: 200, failed: 0 } }, {}]) {
    const bill = { costNanoUsd: 25_000_000_000, doubt: null, usageSource: 'provider' };
    expect(await openCalls()('GET', '/v1/batches/l', null, { ...large, ...counts })).toMatchObject(bill);
  }
  const long = { ...large, request_counts: { completed: 40 } };
  expect(await call('GET', '/v1/batches/l', null, long)).toMatchObject({ costNanoUsd: 50_000_000_000 });
  const untold = { costNanoUsd: 10_000_000, usageSource: 'estimated', doubt: { reason: 'unreadable' } };
  expect(await call('GET', '/v1/batches/u', null, batch)).toMatchObject(untold);
  expect(await call('GET', '/v1/batches/u', null, batch)).toMatchObject(nothing);
});
