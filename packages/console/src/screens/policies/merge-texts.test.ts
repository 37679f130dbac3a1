import { expect, test } from 'vitest';
import { mergeTexts } from './merge-texts.ts';

test.each([
  ['both', 'a\nb\nc\nd', 'A\nb\nc\nd', 'a\nb\nc\nD', 'A\nb\nc\nD'],
  ['lines that are added and removed', 'a\nb\nc\nd', 'x\na\nb\nc\nd', 'a\nb\nd', 'x\na\nb\nd'],
  ['the same change once', 'a\nb', 'A\nb', 'A\nb', 'A\nb'],
  ['what one did alone', 'a\nb', 'a\nb', 'a\nB', 'a\nB'],
  ['nothing if both changed a line', 'a\nb', 'A\nb', 'X\nb', null],
  ['nothing if they are neighbours', 'a\nb\nc', 'A\nb\nc', 'a\nB\nc', null],
  ['nothing if both add at one place', 'a\nb', 'a\nx\nb', 'a\ny\nb', null],
])('two people keep %s', (_, base, mine, theirs, merged) => {
  expect(mergeTexts(base, mine, theirs)).toBe(merged);
});
