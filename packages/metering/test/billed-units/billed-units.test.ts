import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { measure, sse } from '../measure-call.ts';
import { openMetering } from '../open-metering.ts';
import { rows as openai } from './openai-rows.ts';
import { paths, type Row, tokens } from './row.ts';
import { ofVendors } from './vendor-rows.ts';

const vendors: Readonly<Record<string, Row[]>> = { openai, ...ofVendors };
const metering = openMetering();

const named = Object.entries(vendors).flatMap(([vendor, rows]) =>
  rows.map((row, at) => [`${vendor}, ${row[0]}, row ${at + 1}`, vendor, row] as const),
);

test.each(named)('%s', async (_name, vendor, [, kind, answer, usd, without]) => {
  const asked = { model: kind === 'rerank' ? 'rerank-v3.5' : 'asked', messages: [{ role: 'user', content: 'Hi' }] };
  const measured = await measure(paths[kind], asked, answer, metering, vendor, { isCapped: false });
  const costNanoUsd = Math.round(usd * 1e9);
  expect(measured).toMatchObject({ costNanoUsd, usageSource: 'provider', unread: [], doubt: null });
  expect(measured.unpricedUnits).toEqual(without?.split('+') ?? []);
  const [, marked] = /, without (.*)$/.exec(measured.priceVersion ?? '') ?? [];
  expect(marked).toBe(without);
});

test.each([
  ['gpt-4o', 0.002_5 + 0.001 + 0.025],
  ['gpt-5', 0.001_25 + 0.001 + 0.01],
])(
  'the request tells that %s searched by the preview tool, if its answer does not repeat the tools',
  async (model, usd) => {
    const output = [{ type: 'web_search_call', status: 'completed', action: { type: 'search' } }];
    const asked = { model, input: 'Hi', tools: [{ type: 'web_search_preview' }] };
    const body = { model, status: 'completed', output, usage: tokens };
    const answers = [{ body }, sse({ type: 'response.completed', response: body })];
    for (const answer of answers)
      expect((await measure(paths.responses, asked, answer, metering)).costNanoUsd).toBe(Math.round(usd * 1e9));
  },
);

test('the table of billed units names the units that have rows here, of each vendor', () => {
  const page = readFileSync(new URL('../../../../docs/proxy.md', import.meta.url), 'utf8');
  const [, table = ''] = page.split('### What is billed beside tokens\n');
  const lines = table.split('\n### ')[0]?.matchAll(/^- (\w+): (.*)$/gm) ?? [];
  const listed = [...lines].map(([, vendor = '', text = '']) => {
    return [vendor, [...text.matchAll(/\*\*(.+?)\*\*/g)].map(([, unit]) => unit).sort()] as const;
  });
  const tested = Object.entries(vendors).map(([vendor, rows]) => [
    vendor,
    [...new Set(rows.map(([unit]) => unit))].filter((unit) => unit !== 'tokens alone').sort(),
  ]);
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(tested));
});
