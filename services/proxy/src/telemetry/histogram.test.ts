import { Histogram as ClientHistogram, createRegistry } from '@agp/runtime';
import { expect, test } from 'vitest';
import { Histogram } from './histogram.ts';

test("prints what Prometheus' client prints of the same values", async () => {
  const [own, client] = [createRegistry('proxy'), createRegistry('proxy')];
  const bounds = [0.1, 1, 2.5];
  const ours = new Histogram(own, 'agp_test_seconds', 'Of a test', 'provider', bounds);
  const theirs = new ClientHistogram({
    name: 'agp_test_seconds',
    help: 'Of a test',
    labelNames: ['provider'],
    buckets: bounds,
    registers: [client],
  });
  for (const [provider, value] of [
    ['openai', 0.05],
    ['openai', 0.1],
    ['openai', 2],
    ['gemini', 3],
    ['a "b" \\ c', 1],
  ] as const) {
    ours.observe(provider, value);
    theirs.observe({ provider }, value);
  }
  const print = async (registry: typeof own) =>
    (await registry.getSingleMetricAsString('agp_test_seconds')).split('\n').toSorted();
  expect(await print(own)).toEqual(await print(client));
  expect((await print(own)).length).toBeGreaterThan(18);
});
