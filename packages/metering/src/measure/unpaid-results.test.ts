import { expect, test } from 'vitest';
import { makeHead, openMetering } from '../../test/open-metering.ts';

const metering = openMetering();
const end = { outcome: 'completed', sent: true, status: 200, streamed: false } as const;
const left = { outcome: 'aborted' } as const;
const day = 86_400_000;

/** Fetches of one provider's results, whose claims are kept as in storage. */
function openFetches() {
  const claimed = new Set<string>();
  interface Fetch {
    provider?: string;
    agentId?: string;
    isCapped?: boolean;
    ended?: object;
    after?: number;
    fails?: boolean;
    serviceTier?: string | null;
  }
  return async (path: string, text: string, given: Fetch = {}) => {
    const { provider = 'gemini', agentId = 'a', isCapped = false, ended = {}, after = 0 } = given;
    const { fails = false, serviceTier = null } = given;
    const timestamp = Date.UTC(2026, 10, 1) + after;
    const head = makeHead(provider, path, { method: 'GET', hasBody: false, timestamp, serviceTier });
    const claimBill = async (bill: string) => {
      if (fails) throw new Error('storage is away');
      return claimed.size < claimed.add(bill).size;
    };
    const holder = { agentId, source: null };
    const meter = metering.open({
      head,
      holder,
      body: null,
      reservation: { nanoUsd: 0, isCapped },
      claimBill,
      findClaim: async () => null,
    });
    const contentType = provider === 'gemini' ? 'application/json' : 'application/x-jsonl';
    meter.openPipe({ 'content-type': contentType })?.push(Buffer.from(text));
    return meter.measure({ ...end, ...ended });
  };
}

const nothing = { promptTokens: 0, completionTokens: 0, costNanoUsd: 0, usageSource: 'none' };

function makeBatch(answers: number, size = 0, id = 'b') {
  const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 2 };
  const response = { modelVersion: 'gemini-2.5-flash', usageMetadata, candidates: [], pad: 'x'.repeat(size) };
  const inlinedResponses = { inlinedResponses: Array.from({ length: answers }, () => ({ response })) };
  return { name: `batches/${id}`, done: true, response: { inlinedResponses } };
}

const list = (...answers: number[]) =>
  JSON.stringify({ operations: answers.map((count, at) => makeBatch(count, 0, `b${at}`)) });

/** Nothing was read of it. */
const unseen = { reason: 'unreadable', promptTokens: 0, completionTokens: 0, costNanoUsd: 0 };

test('a batch of Gemini that was not read to its end is in doubt, and is paid once, also if a list shows it', async () => {
  // Half of 0.3 and 2.5 USD a million.
  const sum = (answers: number) => ({
    promptTokens: answers * 100,
    completionTokens: answers * 2,
    costNanoUsd: answers * (100 * 150 + 2 * 1_250),
  });
  const text = JSON.stringify(makeBatch(3));
  const one = '/v1beta/batches/b';
  const fetch = openFetches();
  const first = await fetch(one, text, { serviceTier: 'priority' });
  expect(first).toMatchObject({ ...sum(3), usageSource: 'provider', doubt: null });
  expect(await fetch(one, text)).toMatchObject({ ...nothing, doubt: null });
  const fetchNew: ReturnType<typeof openFetches> = (...asked) => openFetches()(...asked);
  expect(await fetchNew(one, text.slice(0, -1), { ended: left })).toMatchObject({ ...nothing, doubt: unseen });
  expect(await fetchNew(one, '', { ended: left })).toMatchObject({ ...nothing, doubt: null });
  const large = makeBatch(9, 1_048_576);
  expect(await fetchNew(one, JSON.stringify(large))).toMatchObject({ ...nothing, doubt: unseen });
  for (const path of ['/v1beta/batches', '/v1beta/batches/']) {
    const show = (...operations: object[]) => fetchNew(path, JSON.stringify({ operations }));
    const shown = await show(makeBatch(1), { name: 'batches/c' }, makeBatch(2, 0, 'd'));
    expect(shown).toMatchObject({ ...sum(3), usageSource: 'provider', doubt: null });
    expect(await show({ name: 'batches/c' })).toMatchObject({ ...nothing, doubt: null });
    expect(await show(large)).toMatchObject({ ...nothing, doubt: unseen });
  }
});

test('a list of batches that is polled costs what is new in it, whoever polls', async () => {
  const fetch = openFetches();
  const poll = async (text: string, given = {}) => (await fetch('/v1beta/batches', text, given)).promptTokens;
  expect(await poll(list(1, 2))).toBe(300);
  expect(await poll(list(1, 2))).toBe(0);
  expect(await poll(list(1, 2, 4))).toBe(400);
  expect(await poll(list(1, 2, 4), { agentId: 'b', after: day })).toBe(0);
  expect((await fetch('/v1beta/batches/b2', JSON.stringify(makeBatch(4, 0, 'b2')))).costNanoUsd).toBe(0);
  // Twice is better than never.
  for (let times = 0; times < 2; times++) expect(await poll(list(1, 2), { fails: true })).toBe(300);
});

test('a batch whose fetch breaks off again and again is in doubt once', async () => {
  const fetch = openFetches();
  const text = JSON.stringify(makeBatch(3));
  const doubts = [];
  for (const cut of [10, 10, 20])
    doubts.push((await fetch('/v1beta/batches/b', text.slice(0, -cut), { ended: left })).doubt);
  expect(doubts.map((doubt) => doubt?.reason ?? null)).toEqual(['unreadable', null, null]);
  expect((await fetch('/v1beta/batches/b', text)).costNanoUsd).toBeGreaterThan(0);
});

const line = (tokens: number) => {
  const message = {
    type: 'message',
    model: 'claude-haiku-4-5-20251001',
    usage: { input_tokens: tokens, output_tokens: 2 },
  };
  return `${JSON.stringify({ custom_id: 'c', result: { type: 'succeeded', message } })}\n`;
};

test('results that were not fetched whole cost nothing yet without a cap, and are in doubt with the sum so far', async () => {
  const fetchNew = (text: string, ended: object) =>
    openFetches()('/v1/messages/batches/b/results', text, { provider: 'anthropic', ended });
  // Half of 1 and 5 USD a million.
  const sum = { promptTokens: 300, completionTokens: 4, costNanoUsd: 300 * 500 + 4 * 2_500 };
  const text = line(100) + line(200);
  const partial = { ...nothing, doubt: { reason: 'unreadable', ...sum } };
  expect(await fetchNew(`${text}{"custom_id":`, left)).toMatchObject(partial);
  expect(await fetchNew(text, { outcome: 'failed' })).toMatchObject(partial);
  expect(await fetchNew(text, { status: 206 })).toMatchObject(partial);
  expect(await fetchNew('', left)).toMatchObject({ ...nothing, doubt: null });
  // The one line may have been the whole batch, but for its last byte.
  expect(await fetchNew('{"custom_id":', left)).toMatchObject({ ...nothing, doubt: unseen });
  expect(await fetchNew(text, {})).toMatchObject({ ...sum, usageSource: 'provider', doubt: null });
});

test('under a cap the results that came before a fetch broke off cost what they are worth, once', async () => {
  const fetch = openFetches();
  const path = '/v1/messages/batches/b/results';
  const results = Array.from({ length: 32 }, () => line(1_000));
  const read = (lines: number, given: object = {}) =>
    fetch(path, results.slice(0, lines).join('').slice(0, -1), {
      provider: 'anthropic',
      isCapped: true,
      ended: left,
      ...given,
    });
  // Half of 1 and 5 USD a million.
  const worth = (lines: number) => lines * (1_000 * 500 + 2 * 2_500);
  expect(await read(32)).toMatchObject({
    promptTokens: 32_000,
    costNanoUsd: worth(32),
    usageSource: 'estimated',
    doubt: { reason: 'unreadable', costNanoUsd: worth(32) },
  });
  expect(await read(32)).toMatchObject({ ...nothing, doubt: null });
  const whole = { provider: 'anthropic', isCapped: true };
  expect(await fetch(path, results.join(''), whole)).toMatchObject({ costNanoUsd: worth(32), usageSource: 'provider' });
  expect(await fetch(path, results.join(''), whole)).toMatchObject(nothing);

  // What was paid for may break off as often as it likes.
  expect(await read(16)).toMatchObject({ ...nothing, doubt: null });

  const free = { provider: 'anthropic', ended: left };
  expect(await openFetches()(path, results.join(''), free)).toMatchObject({
    ...nothing,
    doubt: { promptTokens: 32_000 },
  });
});

test('under a cap results that cannot be read cost what an unknown path does, once', async () => {
  const fetch = openFetches();
  const text = JSON.stringify(makeBatch(3));
  const given = { isCapped: true, ended: left };
  const costs = [];
  for (const cut of [1, 1, 20]) costs.push((await fetch('/v1beta/batches/b', text.slice(0, -cut), given)).costNanoUsd);
  expect(costs).toEqual([10_000_000, 0, 0]);
  expect(await fetch('/v1beta/batches/b', '', given)).toMatchObject({ ...nothing, doubt: null });
  const ofOne = () =>
    fetch('/v1/messages/batches/of-one/results', line(9).slice(0, -20), { ...given, provider: 'anthropic' });
  expect(await ofOne()).toMatchObject({ costNanoUsd: 10_000_000, doubt: { reason: 'unreadable' } });
  expect(await ofOne()).toMatchObject(nothing);
  expect(await fetch('/v1beta/batches', list(1, 2).slice(0, -1), given)).toMatchObject(nothing);
});
