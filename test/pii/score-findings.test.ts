import { expect, test } from 'vitest';
import { addScores, rate, scoreFindings } from './score-findings.ts';

test('a finding counts as right only where a label of its type overlaps it, and each label once', () => {
  const text = 'aaaa bbbb cccc';
  const labels = [
    { name: 'EMAIL_ADDRESS', type: 'email' as const, start: 0, end: 4 },
    { name: 'EMAIL_ADDRESS', type: 'email' as const, start: 10, end: 14 },
    { name: 'GPE', type: null, start: 5, end: 9 },
  ];
  const { byType, confusion, missed, wrong } = scoreFindings([{ text, template: 0, labels }], () => [
    { type: 'email', start: 0, end: 2 },
    { type: 'email', start: 3, end: 5 },
    { type: 'phone', start: 6, end: 8 },
  ]);
  expect(byType.get('email')).toEqual({ labels: 2, labelsFound: 1, findings: 2, findingsRight: 2 });
  expect(byType.get('phone')).toEqual({ labels: 0, labelsFound: 0, findings: 1, findingsRight: 0 });
  expect(rate(addScores(byType.values()))).toEqual({ precision: 2 / 3, recall: 1 / 2, f1: expect.closeTo(4 / 7, 12) });
  expect(confusion.get('phone')).toEqual(new Map([['GPE', 1]]));
  expect(confusion.get('missed')).toEqual(new Map([['EMAIL_ADDRESS', 1]]));
  expect([missed.length, wrong.length]).toEqual([1, 1]);
});
