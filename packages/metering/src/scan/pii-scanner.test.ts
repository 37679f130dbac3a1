import { expect, test } from 'vitest';
import type { TextSource } from '../text-source.ts';
import { createPiiScanner, type PiiScannerOptions } from './pii-scanner.ts';

const holder = { agentId: 'a', source: null };
const asked = { api: 'openai', method: 'POST', path: '/v1/chat/completions' } as const;

/** A request of the given messages, as it comes over the wire. */
function requestOf(...contents: unknown[]): TextSource {
  const body = { model: 'gpt-5', messages: contents.map((content) => ({ role: 'user', content })) };
  return { of: 'request', asked, bytes: Buffer.from(JSON.stringify(body)), contentType: 'application/json' };
}

const written = (...parts: string[]): TextSource => ({ parts, whole: true });

async function scan(sources: TextSource[], options: Partial<PiiScannerOptions> = {}) {
  const scanner = createPiiScanner({ personNames: false, budgetMs: 10_000, ...options });
  try {
    const { findings: _places, ...scanned } = await scanner.scan(sources, holder);
    return scanned;
  } finally {
    await scanner.stop();
  }
}

const mail = 'Write to jane.roe@example.com today.';
const card = 'Paid with 4111 1111 1111 1111.';
const prose = 'Nothing of interest stands in this sentence about ships. ';

test.each([0, 1_000_000])(
  'both texts are searched, in the worker as well (inline up to %d bytes)',
  async (maxInline) => {
    expect(await scan([requestOf(mail), written(card)], { maxInline })).toEqual({
      types: ['credit_card', 'email'],
      extent: 'full',
      missed: null,
    });
    expect(await scan([requestOf('Hello'), written('Hi')], { maxInline })).toEqual({
      types: [],
      extent: 'full',
      missed: null,
    });
  },
);

test('PII at the end of a long text is found, also where two pieces meet', async () => {
  for (const length of [65_500, 65_530, 131_060, 500_000]) {
    const filler = prose.repeat(Math.ceil(length / prose.length)).slice(0, length);
    const scanned = await scan([written(`${filler} ${mail}`)], { maxInline: 1_000_000 });
    expect(scanned.types, `${length}`).toEqual(['email']);
  }
});

test('JSON inside of a text is read, so that its escapes hide nothing', async () => {
  const call = JSON.stringify({ to: 'jane.roe@example.com' }).replace('@', '\\u0040');
  expect(call).not.toContain('@');
  expect((await scan([written(call)])).types).toEqual(['email']);
});

test('a body that broke off is searched as far as it goes, and that is said', async () => {
  const answer = JSON.stringify({ model: 'gpt-5', choices: [{ index: 0, message: { content: `${mail} And so on` } }] });
  const cut = { of: 'answer' as const, asked, bytes: Buffer.from(answer).subarray(0, -9) };
  expect(await scan([requestOf('Hello'), cut])).toEqual({ types: ['email'], extent: 'partial', missed: 'unreadable' });
  const noJson = { of: 'request' as const, asked, bytes: Buffer.from(mail), contentType: 'application/json' };
  expect(await scan([noJson])).toEqual({ types: ['email'], extent: 'partial', missed: 'unreadable' });
});

test('text that is not scanned in time is reported', async () => {
  const late = await scan([written(mail.repeat(50_000))], { budgetMs: 0 });
  expect(late).toEqual({ types: [], extent: 'none', missed: 'out_of_time' });
});

test('after a stop nothing is scanned, and that is said', async () => {
  const scanner = createPiiScanner({ personNames: false, budgetMs: 1_000, maxInline: 0 });
  await scanner.stop();
  const findings: [] = [];
  const refused = { types: [], findings, extent: 'none', missed: 'overloaded' };
  expect(await scanner.scan([written(mail)], holder)).toEqual(refused);
});

test('a body of very many values is not parsed, and its raw text is searched as far as texts are read', async () => {
  const body = `{"messages":[{"role":"user","content":"${mail}"}],"a":[${'[],'.repeat(1_000_001)}[]]}`;
  const populated = { of: 'request' as const, asked, bytes: Buffer.from(body), contentType: 'application/json' };
  const scanned = await scan([populated], { budgetMs: 60_000 });
  expect(scanned).toEqual({ types: ['email'], extent: 'partial', missed: 'unreadable' });
});

test('names are found by the worker, in small texts too, and only where they are asked for', async () => {
  const named = [requestOf('Please call Jane Roe about it.'), written('Hm.')];
  expect((await scan(named, { personNames: true })).types).toEqual(['person_name']);
  expect((await scan(named)).types).toEqual([]);
  expect(await scan([written('')], { personNames: true })).toEqual({ types: [], extent: 'full', missed: null });
});

test('texts full of names that are not through in time are reported, and hold up nobody else', async () => {
  const scanner = createPiiScanner({ personNames: true, budgetMs: 5_000 });
  const crowd = 'Jane Roe met Ivan Petrov and Kuba Nowak. '.repeat(200);
  const ended: string[] = [];
  const ask = async (agentId: string, text: string) => {
    const scanned = await scanner.scan([written(text)], { agentId, source: null });
    ended.push(agentId);
    return scanned;
  };
  await ask('honest', mail);
  const hostile = Array.from({ length: 8 }, () => ask('hostile', crowd));
  expect((await ask('honest', 'Dear Ana López, thank you.')).types).toEqual(['person_name']);
  expect(ended.filter((agentId) => agentId === 'hostile').length).toBeLessThan(3);
  for (const { types, extent } of await Promise.all(hostile))
    expect([types, extent]).toEqual([['person_name'], 'full']);
  await scanner.stop();
  const late = await scan([written(crowd)], { personNames: true, budgetMs: 0 });
  expect(late).toEqual({ types: [], extent: 'none', missed: 'out_of_time' });
});
