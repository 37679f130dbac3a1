import { expect, test } from 'vitest';
import type { EventDetail } from './contracts/index.ts';
import { explainAnswer } from './outcome.ts';

const explain = (outcome: EventDetail['outcome'], http_status: number | null) =>
  explainAnswer({ outcome, http_status });

test("only a provider's own error is explained", () => {
  expect(explain('completed', 429)).toBe(
    "429 is the provider's own answer, which the agent got as it was. The account's limit there is reached: wait, send less, or ask the provider for more.",
  );
  expect(explain('completed', 503)).toMatch(/^503 is the provider's own answer, .* It failed: try again, /);
  expect(explain('completed', 418)).toBe("418 is the provider's own answer, which the agent got as it was.");
  for (const [outcome, status] of [
    ['completed', 200],
    ['failed', 502],
    ['completed', null],
    [null, null],
  ] as const)
    expect(explain(outcome, status)).toBeNull();
});
