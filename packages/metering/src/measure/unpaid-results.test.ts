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
  }
  return async (path: string, text: string, given: Fetch = {}) => {
    const { provider = 'gemini', agentId = 'a', isCapped = false, ended = {}, after = 0, fails = false } = given;
    const timestamp = Date.UTC(2026, 10, 1) + after;
    const head = makeHead(provider, path, { method: 'GET', hasBody: false, timestamp });
    const claimBill = async (bill: string) => {
      if (fails) throw new Error('storage is away');
      return !claimed.has(bill) && claimed.add(bill) !== undefined;
    };
    const holder = { agentId, source: null };
    const meter = metering.open({ head, holder, body: null, reservation: { nanoUsd: 0, isCapped }, claimBill });
    const contentType = provider === 'gemini' ? 'application/json' : 'application/x-jsonl';
    meter.openTap({ 'content-type': contentType })?.push(Buffer.from(text));
    return meter.measure({ ...end, ...ended });
  };
}

const nothing = { promptTokens: 0, completionTokens: 0, costNanoUsd: 0, usageSource: 'none' };

function makeBatch(answers: number) {
  const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 2 };
  const response = { modelVersion: 'gemini-2.5-flash', usageMetadata, candidates: [] };
  const inlinedResponses = { inlinedResponses: Array.from({ length: answers }, () => ({ response })) };
  return { name: 'batches/b', done: true, response: { inlinedResponses } };
}

const list = (...answers: number[]) => JSON.stringify({ operations: answers.map(makeBatch) });

test('a list of batches that is polled is in doubt once a day, and again when its sum has doubled', async () => {
  const fetch = openFetches();
  const poll = async (text: string, given = {}) => {
    const measured = await fetch('/v1beta/batches', text, given);
    expect(measured).toMatchObject(nothing);
    return measured.doubt?.promptTokens ?? null;
  };
  expect(await poll(list(1, 2))).toBe(300);
  for (let times = 0; times < 3; times++) expect(await poll(list(1, 2))).toBe(null);
  expect(await poll(list(1, 2, 4))).toBe(700);
  expect(await poll(list(1, 2, 4))).toBe(null);
  expect(await poll(list(1, 2), { agentId: 'b' })).toBe(300);
  expect(await poll(list(1, 2, 4), { after: day })).toBe(700);
  // However many batches it has, and whatever parts of them an agent has listed.
  let doubts = 0;
  for (let answers = 1; answers < 300; answers++)
    if ((await poll(list(answers), { after: 2 * day })) !== null) doubts++;
  expect(doubts).toBeLessThan(12);
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
