import { expect, test } from 'vitest';
import { explainGaps, explainInSteps, type Gap, type Known } from './explain-gap.ts';

type Listed = Known['listed'] extends Iterable<infer Each> ? Each : never;

const [first, second] = ['2026-11-09', '2026-11-10'] as const;
const amount = (day: string, model: string, nanoUsd: number) => ({ day, model, nanoUsd });
const call = (over: Partial<Listed>): Listed => ({
  ...{ day: first, model: 'a', cause: 'unrecorded', more: 0, less: 0 },
  ...over,
});
const known = (over: Partial<Known>): Known => ({
  ...{ recorded: [], billed: [], listed: [], isUnpriced: () => false },
  ...over,
});
const causes = (gaps: readonly Gap[]) =>
  gaps.map(({ day, model, recorded, billed, gap, ...parts }) => [
    `${day} ${model}`,
    Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== 0)),
  ]);

test('calls explain gaps in the order in which they are listed, each at most what is left of it', () => {
  const listed = [
    call({ more: 30 }),
    call({ cause: 'doubtful', more: 50, less: 9 }),
    call({ cause: 'other_day', more: 100 }),
    // Of no model that the bill has: what else is open, each side from its first model on.
    call({ model: 'none', cause: 'doubtful', more: 25, less: 5 }),
    call({ model: null, more: 30, less: 1_000 }),
    call({ day: '2026-11-12', more: 7 }),
  ];
  const billed = [amount(first, 'c', 40), amount(first, 'a', 100), amount(first, 'b', 20), amount(second, 'a', 5)];
  const recorded = [amount(first, 'd', 10), amount(first, 'e', 3), amount(second, 'a', 5)];
  expect(causes(explainGaps(known({ billed, recorded, listed })))).toEqual([
    [`${first} a`, { unrecorded: 30, doubtful: 50, other_day: 20 }],
    [`${first} b`, { doubtful: 20 }],
    [`${first} c`, { doubtful: 5, unrecorded: 30, beside: 5 }],
    [`${first} d`, { doubtful: -5, unrecorded: -5 }],
    [`${first} e`, { unrecorded: -3 }],
    [`${second} a`, {}],
  ]);
});

test('however many calls and models a day has, the steps are no more than both together', () => {
  const models = Array.from({ length: 20_000 }, (_, index) => `model-${index}`);
  const billed = models.map((model) => amount(first, model, 3));
  const listed = [
    ...Array.from({ length: 50_000 }, () => call({ model: 'none', more: 1 })),
    ...models.map((model) => call({ model, cause: 'doubtful', more: 1 })),
  ];
  let steps = 0;
  const work = explainInSteps(known({ billed, listed }));
  let step = work.next();
  for (; !step.done; step = work.next()) steps += 1;
  expect(steps).toBeLessThan(4 * (models.length + listed.length));
  const sum = (name: 'unrecorded' | 'doubtful' | 'beside') =>
    (step.value as Gap[]).reduce((total, gap) => total + gap[name], 0);
  // The last models have what the first ones lack.
  expect([sum('unrecorded'), sum('doubtful') + sum('beside')]).toEqual([50_000, 10_000]);
});
