import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { piiGroups } from './index.ts';
import { findOpenLabel, kindOfLabel, labelLengths, labelPattern, spellSigns, writeLabel } from './label.ts';
import { createTextSearch } from './text-search.ts';

const spell = (seed: string, length = 6) => spellSigns(createHash('sha256').update(seed).digest(), length);

test('labels are what their pattern matches, and open until the unit behind them has come', () => {
  for (const length of labelLengths) {
    const label = writeLabel('employee_id', spell('a', length));
    expect(`so ${label}, [email 1] and [email]`.match(labelPattern)).toEqual([label]);
    expect(kindOfLabel(label)).toBe('employee_id');
    for (let at = 1; at <= label.length; at++) expect(findOpenLabel(`so ${label.slice(0, at)}`)).toBe(3);
    expect(findOpenLabel(`so ${label}.`)).toBe(label.length + 4);
  }
  const longest = writeLabel(`k${'x'.repeat(63)}`, spell('a', Math.max(...labelLengths)));
  expect(findOpenLabel(`${'a'.repeat(200)}${longest}`)).toBe(200);
});

test.each([...piiGroups.all, 'staff_id'])('no detector takes a label of %s for a finding', (kind) => {
  const search = createTextSearch(piiGroups.all, []);
  const words = kind.replaceAll('_', ' ');
  for (let seed = 0; seed < 300; seed++) {
    const label = writeLabel(kind, spell(`${kind}${seed}`, labelLengths[seed % 2]));
    const text = `My ${words} is ${label}, ${words}: ${label}; ${kind}=${label} "${kind}": "${label}" <${label}> ${label}${label}`;
    expect(search.find(text).map(({ kind: of, start, end }) => `${of} ${text.slice(start, end)}`)).toEqual([]);
  }
});
