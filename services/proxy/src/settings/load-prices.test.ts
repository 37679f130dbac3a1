import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMetering, matchOperation } from '@agp/metering';
import { ConfigError } from '@agp/runtime';
import { expect, onTestFinished, test } from 'vitest';
import { loadPrices, loadProxyConfig } from '../config.ts';

function writePrices(content: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), 'agp-prices-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'prices.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

const providers = new Map([['vllm', null]]);
const prices = { input_mtok: 1 };

test('without a file there are no prices of one’s own', () => {
  expect(loadPrices(undefined, providers)).toBeNull();
});

test.each<[string, unknown, string]>([
  ['not JSON', '{', 'is not JSON'],
  ['a misspelt unit', [{ model: 'a', prices: { inputs_mtok: 1 } }], '0.prices: Unrecognized key: "inputs_mtok"'],
  [
    'a misspelt provider',
    [
      { model: 'a', prices },
      { provider: 'vlm', model: 'a', prices },
    ],
    '1.provider: vlm is not',
  ],
])('%s is refused at start, by the file, the entry and the field', (_what, content, message) => {
  const file = writePrices(content);
  const load = () => loadPrices(file, providers);
  expect(load).toThrow(ConfigError);
  expect(load).toThrow(`PRICES_FILE: ${file}: ${message}`);
});

test('a file that cannot be read is refused by its name', () => {
  expect(() => loadPrices('/no/such/prices.json', providers)).toThrow(
    'PRICES_FILE: cannot read /no/such/prices.json: ENOENT',
  );
});

test('the configuration has the prices, and knows providers that a variable names', () => {
  const servers = { DATABASE_URL: 'postgres://a', NATS_URL: 'nats://a', REDIS_URL: 'redis://a' };
  const environment = { ...servers, PRICES_FILE: writePrices([{ provider: 'vllm', model: '*', prices }]) };
  expect(() => loadProxyConfig(environment)).toThrow('0.provider: vllm is not a configured provider');
  const config = loadProxyConfig({ ...environment, PROVIDER_VLLM_URL: 'http://127.0.0.1:1' });
  expect(config.prices?.entries).toHaveLength(1);
  expect(loadProxyConfig(servers).prices).toBeNull();
});

test('what is charged later follows the prices that are read later', async () => {
  const metering = createMetering({ prices: null, isStrict: false, pii: null });
  onTestFinished(() => metering.stop());
  const provider = { id: 'vllm', api: 'openai' as const, baseUrl: new URL('http://a') };
  const file = writePrices([{ provider: 'vllm', model: 'a', prices: { output_mtok: 100 } }]);
  const operation = matchOperation('openai', 'POST', '/v1/chat/completions');
  const head = {
    provider: { ...provider, asksForUsage: true, harmlessMembers: [], geo: null },
    operation,
    method: 'POST',
    path: '/v1/chat/completions',
    query: '',
    timestamp: Date.now(),
    serviceTier: null,
    hasBody: true,
  };
  const reserve = () => {
    const bytes = Buffer.from('{"model":"a","messages":[],"max_tokens":1000}');
    const caps = { isCapped: true, mayRefuse: true };
    const form = { contentType: 'application/json', contentEncoding: '' };
    return metering.findReservation(head, operation && metering.inspect(operation, head, bytes, form, caps), caps);
  };
  expect(reserve()).toBe(10_000_000);
  metering.usePrices(loadPrices(file, providers));
  expect(reserve()).toBe(1000 * 100_000);
});
