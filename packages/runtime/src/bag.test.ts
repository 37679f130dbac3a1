import { expect, test } from 'vitest';
import { Bag } from './bag.ts';

test('a bag holds what a Set would hold, whoever leaves first, and however often', () => {
  const bag = new Bag<number>();
  const expected = new Set<number>();
  const leaves: (() => void)[] = [];
  for (let member = 0; member < 1_000; member += 1) {
    leaves.push(bag.add(member));
    expected.add(member);
    const other = (member * 7_919) % (member + 1);
    if (member % 3 > 0) leaves[other]?.();
    if (member % 3 > 0) expected.delete(other);
    expect(bag.size).toBe(expected.size);
  }
  expect([...bag].sort((a, b) => a - b)).toEqual([...expected]);
});

test('members may leave while the bag is walked', () => {
  const bag = new Bag<string>();
  const leaves = ['a', 'b', 'c'].map((member) => bag.add(member));
  const walked = [...bag].map((member, index) => {
    leaves[index]?.();
    return member;
  });
  expect(walked).toEqual(['a', 'b', 'c']);
  expect(bag.size).toBe(0);
});
