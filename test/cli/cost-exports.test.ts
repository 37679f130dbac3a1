import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase, recordEvents } from '@agp/db';
import { makeEventAt } from '@agp/testing/events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type System, startSystem } from '../system/start-system.ts';
import { runCli } from './run-cli.ts';

const [day, next] = ['2026-11-09', '2026-11-10'];
const columns =
  'line_item_usage_start_date,line_item_usage_end_date,line_item_line_item_type,line_item_product_code,line_item_usage_type,line_item_unblended_cost,line_item_currency_code,line_item_usage_account_id,product';
/** After AWS' documentation of CUR 2.0: what two accounts used, a tax, and what is not of Bedrock. */
const costExport = [
  columns,
  `${day}T00:00:00Z,${day}T01:00:00Z,Usage,6rj8,EUC1-MP:EUC1_InputTokenCount-Units,3.00,USD,111,"{""product_name"":""Claude Haiku 4.5 (Amazon Bedrock Edition)""}"`,
  `${day}T00:00:00Z,${day}T01:00:00Z,Usage,AmazonBedrock,USE1-Nova2.0Lite-input-tokens,1.00,USD,222,{}`,
  `${day}T05:00:00Z,${day}T06:00:00Z,Usage,AmazonBedrock,USE1-Nova2.0Lite-output-tokens,1.00,USD,222,{}`,
  `${day}T00:00:00Z,2026-12-01T00:00:00Z,Tax,AmazonBedrock,USE1-Nova2.0Lite-output-tokens,0.38,USD,222,{}`,
  `${day}T00:00:00Z,${day}T01:00:00Z,Usage,AmazonS3,Requests,99,USD,222,{}`,
  `${next}T00:00:00Z,${next}T01:00:00Z,Usage,AmazonBedrock,USE1-Nova2.0Lite-output-tokens,7,USD,222,{}`,
].join('\n');

let system: System;
let folder: string;

beforeAll(async () => {
  system = await startSystem({ proxies: 0, writers: 0 });
  folder = await mkdtemp(join(tmpdir(), 'agp-export-'));
  await writeFile(join(folder, 'export.csv'), costExport);
  const record = (provider: string, model: string, usd: number) =>
    makeEventAt(Date.parse(`${day}T12:00:00Z`), { provider, model, cost_nano_usd: usd * 1e9 });
  const { pool, close } = openDatabase({
    ...{ url: system.stack.databaseUrl, applicationName: 'agp-test', maxConnections: 1, pipeline: true },
  });
  await recordEvents(pool, [
    record('bedrock', 'eu.anthropic.claude-haiku-4-5-20251001-v1:0', 3),
    record('bedrock-us', 'amazon.nova-2-lite-v1:0', 1.5),
    record('anthropic', 'claude-haiku-4-5', 9),
  ]);
  await close();
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const reconcile = (args: string) =>
  runCli(`costs reconcile --from ${day} --to ${next} ${args}`.split(' '), {
    ...{ AGP_URL: system.management.url, AGP_API_KEY: system.apiKey, OPENAI_ADMIN_KEY: 'sk-admin-1' },
  });
const compare = (args = '') => reconcile(`--provider aws --file ${folder}/export.csv${args}`);

test('an export is compared with what is recorded of its entries, by day and model; taxes are told', async () => {
  const { code, stdout, stderr } = await compare(' --recorded-as bedrock,bedrock-us');
  expect(stdout).toMatch(/^total +4\.50 +5\.00 +0\.50 +10\.00 % .* 0\.50$/m);
  expect(stdout).toMatch(/^nova-2-lite +1\.50 +2\.00 /m);
  expect(stdout).not.toContain('claude');
  const told = ['10.00 % of what was billed did not pass here', 'not compared: Tax 0.38 USD'];
  expect(stderr).toBe(`${told.join('\n')}\nThe gap is 0.50 USD (10.00 %), more than 1 %.\n`);
  expect(code).toBe(1);
});

test('without more the entry is bedrock; what it did not record has the name that AWS gives it', async () => {
  const { provider, apart_usd, total, rows } = JSON.parse((await compare(' --json')).stdout);
  expect([provider, apart_usd]).toEqual(['aws', { Tax: 0.38 }]);
  expect(total).toMatchObject({ recorded_usd: 3, billed_usd: 5, beside_usd: 2 });
  expect(rows.map(({ model }: { model: string }) => model)).toEqual(['Nova2.0Lite', 'claude-haiku-4-5']);
});

test('one account is compared with the agents of a label', async () => {
  const report = JSON.parse((await compare(' --json --billed-to 111 --label team=none')).stdout);
  expect(report).toMatchObject({ apart_usd: {}, total: { recorded_usd: 0, billed_usd: 3 } });
});

test('an export of other days is no bill of these', async () => {
  const other = `--provider aws --file ${folder}/export.csv`.split(' ');
  const asked = await runCli(['costs', 'reconcile', '--from', '2026-10-01', '--to', '2026-10-02', ...other], {
    ...{ AGP_URL: system.management.url, AGP_API_KEY: system.apiKey },
  });
  expect(asked).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no line is of these days: it has 2026-11-09 to 2026-11-10'),
  });
});

test('an account is not chosen in an export that tells none', async () => {
  await writeFile(join(folder, 'alone.csv'), costExport.replace('line_item_usage_account_id', 'other'));
  expect(await reconcile(`--provider aws --file ${folder}/alone.csv --billed-to 111 --label team=none`)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--billed-to asks for the column line_item_usage_account_id, which is not there'),
  });
});

test('a file goes with aws alone, and one that cannot be read is named', async () => {
  const wrong = { code: 2, stderr: expect.stringContaining('--file is what --provider aws reads, and goes with it') };
  expect(await reconcile('--provider aws')).toMatchObject(wrong);
  expect(await reconcile(`--provider openai --file ${folder}/export.csv`)).toMatchObject(wrong);
  const none = `${folder}/none.csv`;
  expect(await reconcile(`--provider aws --file ${none}`)).toEqual({
    code: 1,
    stdout: '',
    stderr: `${none}: ENOENT\n`,
  });
});
