import { readFileSync } from 'node:fs';
import { createPriceUsage, makeUsage, parsePriceFile, type Usage } from '@agp/catalogue';
import { createMetering, type Measurement, type Metering } from '@agp/metering';
import { corpusPrices, type Exchange, type Expected, loadCorpus, writePieces } from '@agp/testing/corpus';
import { expect, test } from 'vitest';
import { countedUnits } from '../../packages/catalogue/src/figures.ts';
import { inspect, measureExchange, readHead } from './measure-exchange.ts';
import { listForms } from './vary-answer.ts';

const corpus = loadCorpus();
const files = Object.entries(Object.groupBy(corpus, ({ file }) => file)) as [string, Exchange[]][];
const options = { isStrict: false, pii: null };
const listed = parsePriceFile(corpusPrices);
const metering = createMetering({ ...options, prices: listed, pii: { personNames: false, budgetMs: 30_000 } });
const unscanned = createMetering({ ...options, prices: listed });

const toText = ({ kind, names }: { kind: string; names: readonly string[] }) => `${kind} ${names.join()}`;

const mark = / at (?:half|[\d.]+ times|the standard price)$|^charged by|^\d+[kp]$/;

/** What is said of a price beside the list that it is of: its tier, or who charged it. */
const readMark = (version: string | null) =>
  version
    ?.split(/, | \+ /)
    .filter((part) => mark.test(part))
    .join(', ') || undefined;

/** A measurement in the words of the corpus. */
function toExpected(measured: Measurement): Omit<Expected, 'usage' | 'calls'> {
  const { model, usageSource, costNanoUsd, priceVersion, called, piiTypes, piiScan, unread, doubt, outcome } = measured;
  return {
    ...(model !== null && { model }),
    ...{ source: usageSource, nanoUsd: costNanoUsd, price: readMark(priceVersion) },
    ...{ called: called.map(toText), pii: [...piiTypes], scan: piiScan, unread: [...unread] },
    unpriced: [...measured.unpriced, ...measured.unpricedUnits],
    ...{ doubt: doubt?.reason, outcome: outcome as Expected['outcome'] },
  };
}

test.each(files)('%s: each answer costs what it says', async (_, exchanges) => {
  const found = [];
  const wanted = [];
  for (const { why, expected, ...exchange } of exchanges) {
    if (!expected) continue;
    const { usage: _usage, calls: _calls, ...rest } = expected;
    wanted.push({ why, ...rest });
    found.push({ why, ...toExpected(await measureExchange(metering, { why, ...exchange })) });
  }
  expect(found).toEqual(wanted);
});

test.each(files)('%s: each request names what it says', (_, exchanges) => {
  const read = exchanges.map((exchange) => {
    const { models = null, tools = null } = inspect(metering, exchange)?.names ?? {};
    const { names = {} } = exchange;
    return {
      why: exchange.why,
      ...('models' in names && { models }),
      ...('offered' in names && { offered: tools?.map(toText) ?? null }),
    };
  });
  expect(read).toEqual(exchanges.map(({ why, names }) => ({ why, ...names })));
});

/** Each unit costs another amount, and no tier or charge changes it: so a cost tells the figures. */
const telling = parsePriceFile(
  JSON.stringify(
    [...new Set(corpus.map(({ request }) => request.provider))].map((provider) => {
      const prices = Object.fromEntries(countedUnits.map(({ price: name }, index) => [name, (index + 7) ** 2 + 0.1]));
      return { provider, model: '*', prices, service_tiers: { none: prices } };
    }),
  ),
);
const tellingMetering = createMetering({ ...options, prices: telling });
const price = createPriceUsage(telling);

function costOf(exchange: Exchange, figures: Readonly<Record<string, number>>): number {
  const { provider, operation, timestamp } = readHead(exchange);
  const usage: Usage = makeUsage(figures);
  const api = operation?.api ?? provider.api;
  const at = new Date(timestamp);
  return price({ provider: provider.id, api, baseUrl: provider.baseUrl.href, model: 'any', at, usage }).costNanoUsd;
}

test.each(files)('%s: each answer has the figures that it says', async (_, exchanges) => {
  for (const exchange of exchanges) {
    const { expected, why } = exchange;
    if (!expected || expected.source === 'none') continue;
    const { usage, calls = [{ usage }] } = expected;
    for (const name of calls.flatMap((call) => Object.keys(call.usage))) expect(makeUsage({})).toHaveProperty(name);
    const { costNanoUsd } = await measureExchange(tellingMetering, { ...exchange, isCapped: false });
    expect(costNanoUsd, why).toBe(calls.reduce((sum, call) => sum + costOf(exchange, call.usage), 0));
  }
});

/** The same but for what takes workers, and is nothing to the bytes' form. */
const measureForm = async (from: Metering, ...given: [Exchange, form?: object]) => {
  const { piiScan: _, ...measured } = await measureExchange(from, ...given);
  return measured;
};

test.each(files)('%s: in each form, however it is divided, an answer costs the same', async (_, exchanges) => {
  for (const exchange of exchanges.filter(({ answer }) => answer)) {
    const plain = await measureForm(unscanned, exchange);
    // What cannot be read costs by its bytes.
    for (const [name, form] of listForms(exchange, plain.doubt?.reason === 'unreadable'))
      expect(await measureForm(unscanned, exchange, form), `${exchange.why}: ${name}`).toEqual(plain);
  }
});

/** They end more than once, each time with all figures until then. */
const endAgain =
  /figures-streamed.json: several|streamGenerateContent.billed-beside|vllm-streamed.json|with two images|and one with an SVG/;

const streams = files.filter(([, [first]]) => first?.answer?.frames ?? first?.answer?.array ?? first?.answer?.events);

test.each(streams)(
  '%s: broken off or left behind any message, an answer is estimated, or has its last figures',
  async (_, exchanges) => {
    for (const exchange of exchanges) {
      const { answer, expected, ends, name, why } = exchange;
      if (!answer || ends !== 'whole' || expected?.source !== 'provider') continue;
      const pieces = writePieces(answer);
      for (let at = 2; at < 2 * pieces.length; at++) {
        const [ends, outcome] = at % 2 === 0 ? ['cut', 'failed'] : ['left', 'aborted'];
        const count = Math.floor(at / 2);
        const cut = await measureForm(unscanned, exchange, { pieces: pieces.slice(0, count), ends });
        // SDKs hang up on a last frame.
        expect([outcome, ends === 'left' && 'completed'], why).toContain(cut.outcome);
        // A trace that has not come tells no units.
        const isUntold = cut.unpricedUnits.includes('guardrail_untold_kcount');
        if (cut.usageSource === 'provider' && !isUntold && !endAgain.test(name))
          expect(cut.costNanoUsd, `${why}, after ${count}`).toBe(expected.nanoUsd);
      }
    }
  },
);

test('the page about the proxy names what is billed beside tokens and has answers here, of each vendor', () => {
  const page = readFileSync('docs/proxy.md', 'utf8');
  const [, table = ''] = page.split('### What is billed beside tokens\n');
  const lines = table.split('\n### ')[0]?.matchAll(/^- (\w+): (.*)$/gm) ?? [];
  const listed = [...lines].flatMap(([, vendor, text = '']) =>
    [...text.matchAll(/\*\*(.+?)\*\*/g)].map(([, unit]) => `${vendor}: ${unit}`),
  );
  const billed = corpus
    .filter(({ file, why }) => file.endsWith('billed-beside-tokens.json') && /^\w+: /.test(why))
    .map(({ why }) => why.replace(/ \(\d\)$/, ''));
  expect(listed.sort()).toEqual([...new Set(billed)].filter((each) => !each.endsWith('tokens alone')).sort());
});
