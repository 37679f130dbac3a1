import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { nameLines, nameOnAws, readExport } from './aws.ts';

// Small exports after AWS' documentation of CUR 2.0 and of Bedrock's lines in it; none is of an account.
const folder = mkdtempSync(join(tmpdir(), 'agp-export-'));
afterAll(() => rmSync(folder, { recursive: true }));

const day = '2026-11-09';
const usual = {
  identity_line_item_id: 'x',
  line_item_usage_start_date: `${day}T03:00:00.000Z`,
  line_item_usage_end_date: `${day}T04:00:00.000Z`,
  line_item_line_item_type: 'Usage',
  line_item_product_code: 'AmazonBedrock',
  line_item_usage_type: 'USE1-Claude4.6Sonnet-input-tokens',
  line_item_unblended_cost: '1.0000000001',
  line_item_currency_code: 'USD',
  line_item_resource_id: '',
  line_item_usage_account_id: '111122223333',
  product: '{}',
};
type Line = Partial<Record<keyof typeof usual, string>>;

const quote = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
const toCsv = (lines: readonly Line[], columns = Object.keys(usual)) =>
  [columns, ...lines.map((line) => columns.map((name) => ({ ...usual, ...line })[name as keyof Line] ?? ''))]
    .map((cells) => cells.map(quote).join())
    .join('\n');

let count = 0;
function write(text: string | Buffer, ending = 'csv'): string {
  const file = join(folder, `${count++}.${ending}`);
  writeFileSync(file, text);
  return file;
}
const read = (lines: readonly Line[]) => readExport(write(toCsv(lines)));

const ofMarketplace = (name: string) => ({
  line_item_product_code: '6rj8krwbb4oyjuxs5lf1unwxo',
  line_item_usage_type: 'EUC1-MP:EUC1_InputTokenCount-Units',
  product: JSON.stringify({ product_name: name, region: 'eu-central-1' }),
});

const profile =
  'arn:aws:bedrock:eu-central-1:111122223333:inference-profile/eu.anthropic.claude-haiku-4-5-20251001-v1:0';
const hidden = 'arn:aws:bedrock:eu-central-1:111122223333:application-inference-profile/a1b2c3';

test('lines are of the model that is recorded, however AWS writes it', async () => {
  const recorded = [
    ...['us.anthropic.claude-sonnet-4-6', 'anthropic.claude-3-haiku-20240307-v1:0', 'amazon.nova-2-lite-v1:0'],
    ...['eu.anthropic.claude-haiku-4-5-20251001-v1:0', 'openai.gpt-oss-120b-1:0', hidden, 'amazon.nova-pro-v1:0'],
  ].map(nameOnAws);
  const cases: [Line, model: string][] = [
    [{}, 'claude-sonnet-4-6'],
    [
      { line_item_usage_type: 'USE1-Claude4.6Sonnet-cache-read-input-token-count-cross-region-global' },
      'claude-sonnet-4-6',
    ],
    [{ line_item_usage_type: 'EU-Nova2.0Lite-output-tokens-flex' }, 'nova-2-lite'],
    [{ line_item_usage_type: 'NovaPro-text-input-tokens' }, 'nova-pro'],
    [ofMarketplace('Claude Haiku 4.5 (Amazon Bedrock Edition)'), 'claude-haiku-4-5'],
    [ofMarketplace('Claude 3 Haiku (Amazon Bedrock Edition)'), 'claude-3-haiku'],
    [
      {
        line_item_product_code: 'x',
        product: '{region=eu-west-1, product_name=Claude 3 Haiku (Amazon Bedrock Edition)}',
      },
      'claude-3-haiku',
    ],
    [{ line_item_resource_id: profile }, 'claude-haiku-4-5'],
    [{ line_item_resource_id: hidden }, hidden],
    // Nothing recorded is of it: it keeps AWS' name.
    [{ line_item_usage_type: 'USE1-Claude5Opus-input-tokens' }, 'Claude5Opus'],
    [
      { line_item_usage_type: 'USE1-Guardrail-ContentPolicyUnitsConsumed' },
      'USE1-Guardrail-ContentPolicyUnitsConsumed',
    ],
    [ofMarketplace('Jamba 3 (Amazon Bedrock Edition)'), 'Jamba 3'],
  ];
  for (const [line, model] of cases) {
    const { lines } = await read([line]);
    expect(nameLines(lines, recorded)).toEqual([{ day, model, nanoUsd: 1_000_000_000, accounts: ['111122223333'] }]);
  }
  // Two models with the same words are not told apart.
  const { lines } = await read([{}]);
  expect(nameLines(lines, ['claude-sonnet-4-6', 'claude-4-6-sonnet'])[0]?.model).toBe('Claude4.6Sonnet');
});

test('sums are by day, of usage alone; what else is charged or given stands apart', async () => {
  const later = {
    line_item_usage_start_date: '2026-11-10 00:00:00.000',
    line_item_usage_end_date: '2026-11-11 00:00:00',
  };
  const { lines, apart } = await read([
    {},
    { line_item_unblended_cost: '0.5', line_item_usage_start_date: `${day}T00:00:00Z` },
    later,
    {
      line_item_line_item_type: 'Tax',
      line_item_unblended_cost: '0.3',
      line_item_usage_end_date: '2026-12-01T00:00:00Z',
    },
    { line_item_line_item_type: 'EdpDiscount', line_item_unblended_cost: '-0.2' },
    { line_item_line_item_type: 'EdpDiscount', line_item_unblended_cost: '-2E-1' },
    // Not Bedrock's, whatever stands in it.
    { line_item_product_code: 'AmazonEC2', line_item_currency_code: 'CNY', line_item_unblended_cost: '' },
    { line_item_product_code: 'AmazonBedrockAgentCore' },
    { ...ofMarketplace('Other (Amazon Edition)') },
    { line_item_product_code: 'x', product: '{Bedrock' },
  ]);
  expect(lines.map((line) => [line.day, line.nanoUsd])).toEqual([
    [day, 1_500_000_000],
    ['2026-11-10', 1_000_000_000],
  ]);
  expect(apart).toEqual([
    { day, type: 'Tax', accounts: ['111122223333'], nanoUsd: 300_000_000 },
    { day, type: 'EdpDiscount', accounts: ['111122223333'], nanoUsd: -400_000_000 },
  ]);
});

test('columns stand in any order, cells hold commas, quotes and line breaks; gzip and a mark before it all are read', async () => {
  const columns = [...Object.keys(usual).reverse(), 'line_item_line_item_description'].filter(
    (name) => name !== 'line_item_usage_account_id',
  );
  const text = `\ufeff${toCsv([{ identity_line_item_id: 'a "b",\r\nc' }], columns)}`;
  const expected = [
    { day, names: ['Claude4.6Sonnet', usual.line_item_usage_type], accounts: [undefined], nanoUsd: 1e9 },
  ];
  expect((await readExport(write(text))).lines).toEqual(expected);
  expect((await readExport(write(gzipSync(text), 'csv.gz'))).lines).toEqual(expected);
  const product = Object.keys(usual).map((name) => (name === 'product' ? 'product_product_name' : name));
  const named = toCsv([{ line_item_product_code: 'x' }], product).replace(/""$/, '"Nova Pro (Amazon Bedrock Edition)"');
  expect((await readExport(write(named))).lines[0]?.names[0]).toBe('Nova Pro');
});

const without = (name: string) =>
  toCsv(
    [{}],
    Object.keys(usual).filter((each) => each !== name),
  );

test.each([
  ['another currency', toCsv([{}, { line_item_currency_code: 'EUR' }]), /line 3: line_item_currency_code: is not USD$/],
  ['no amount', toCsv([{ line_item_unblended_cost: '' }]), /line 2: line_item_unblended_cost: /],
  ['no day', toCsv([{ line_item_usage_start_date: '2026-13-09T00:00:00Z' }]), /start_date: is no time in UTC$/],
  ['no time', toCsv([{ line_item_usage_start_date: '9 Nov' }]), /line_item_usage_start_date: is no time in UTC$/],
  [
    'months',
    toCsv([{ line_item_usage_end_date: '2026-12-01T00:00:00Z' }]),
    /line_item_usage_end_date: is of more than a day: export with the granularity hourly or daily$/,
  ],
  [
    'a column missing',
    without('line_item_unblended_cost'),
    /the column line_item_unblended_cost is not there: is it an/,
  ],
  ['no names of products', without('product'), /the column product is not there, by which models that AWS Marketplace/],
  ['the columns of CUR 1', '"lineItem/UsageType"\n"x"', /the column line_item_line_item_type is not there/],
  ['a column twice', toCsv([{}], [...Object.keys(usual), 'product']), /the column product is there twice$/],
  [
    'nothing of Bedrock',
    toCsv([{ line_item_product_code: 'AmazonS3' }]),
    /no line is of Bedrock, by line_item_product_code/,
  ],
  ['nothing', '', /no line is of Bedrock/],
  ['a broken line', `${toCsv([{}])}\n"a","b"\n`, /Invalid Record Length: .* on line 3$/],
  ['an open quote', `${toCsv([{}])}\n"${'x'.repeat(2_000_000)}`, /Max Record Size: /],
])('%s is refused with its column or line', async (_, text, message) => {
  const file = write(text);
  await expect(readExport(file)).rejects.toThrow(message);
  await expect(readExport(file)).rejects.toThrow(file);
});

test('a file that is not there, or is no gzip, is named', async () => {
  await expect(readExport(join(folder, 'none'))).rejects.toThrow(/none: ENOENT$/);
  await expect(readExport(write(toCsv([{}]), 'csv.gz'))).rejects.toThrow(/\.csv\.gz: is no gzip, or was cut/);
  const packed = gzipSync(toCsv([{}]));
  await expect(readExport(write(packed.subarray(0, -20), 'csv.gz'))).rejects.toThrow(/is no gzip, or was cut/);
});
