import { expect, test } from 'vitest';
import { createMetrics } from '../telemetry/metrics.ts';
import { reportUnpriced, reportUnread } from './reports.ts';

function start(maxModels?: number) {
  const lines: object[] = [];
  const metrics = createMetrics({
    providers: [],
    outbox: () => 0,
    running: () => 0,
    bufferedBytes: () => 0,
    priceFileIsRefused: () => false,
  });
  const logger = { warn: (line: object) => lines.push(line) };
  const report = reportUnpriced({ metrics, logger: logger as never }, maxModels);
  const count = async (provider: string) =>
    (await metrics.unpriced.get()).values.find(({ labels }) => labels.provider === provider)?.value;
  return { report, lines, count };
}

test('every call counts, and each provider and model is logged once', async () => {
  const { report, lines, count } = start();
  for (let call = 0; call < 3; call += 1) {
    report('vllm', 'tuned');
    report('vllm', null);
    report('other', 'tuned');
  }
  expect(lines).toEqual([
    { provider: 'vllm', model: 'tuned' },
    { provider: 'vllm', model: 'unknown' },
    { provider: 'other', model: 'tuned' },
  ]);
  expect([await count('vllm'), await count('other')]).toEqual([6, 3]);
});

test('names that never end neither fill the log nor the memory', async () => {
  const { report, lines, count } = start(2);
  for (let call = 0; call < 50; call += 1) report('vllm', `model-${call}`);
  expect(lines).toEqual([
    { provider: 'vllm', model: 'model-0' },
    { provider: 'vllm', model: 'model-1' },
    { maxModels: 2 },
  ]);
  expect(await count('vllm')).toBe(50);
});

test('a name that no model has is not quoted: it may be anything, and hold a key', () => {
  const { report, lines } = start();
  const names = [
    `a\0b\ud800${'x'.repeat(1_000)}`,
    'zz\nproxy error: FORGED',
    `sk-proj-${'aB3dE5gH7jK9mN1pQ4rS'.repeat(2)}`,
  ];
  for (const name of names) report('vllm', name);
  report('vllm', 'meta-llama/Llama-4@fp8:free');
  expect(lines).toEqual([
    ...[256, 22, 48].map((length) => ({ provider: 'vllm', model: `a name of ${length} characters, not shown` })),
    { provider: 'vllm', model: 'meta-llama/Llama-4@fp8:free' },
  ]);
});

test('figures that are not understood count by plain names, as many as are kept, and are logged once', async () => {
  const lines: object[] = [];
  const metrics = createMetrics({
    providers: [],
    outbox: () => 0,
    running: () => 0,
    bufferedBytes: () => 0,
    priceFileIsRefused: () => false,
  });
  const report = reportUnread({ metrics, logger: { warn: (line: object) => lines.push(line) } as never }, 2);
  report('xai', ['a.b', 'not plain', 'x'.repeat(65)]);
  report('xai', ['a.b', 'c']);
  report('xai', ['d', 'c']);
  const { values } = await metrics.unreadFigures.get();
  const counted = Object.fromEntries(values.map(({ labels, value }) => [labels.figure, value]));
  expect(counted).toEqual({ 'a.b': 2, c: 2, other: 3 });
  expect(lines).toEqual(['a.b', 'c'].map((figure) => ({ provider: 'xai', figure })));
});
