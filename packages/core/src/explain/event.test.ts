import { expect, test } from 'vitest';
import { describeFound } from './event.ts';

test('what a rule of data found is told by kind', () => {
  expect(describeFound({ email: 2, credit_card: 1_200 })).toBe('email 2, credit card 1,200');
});
