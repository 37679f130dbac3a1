import { expect, test } from 'vitest';
import { markUnpriced, maxPriceVersion, nameUnpriced, readUnpriced, readUnpricedUnits } from './event-fields.ts';

test('units that a cost leaves out are in the name of its prices, and can be read from it', () => {
  const marked = markUnpriced('prices, batch at half', ['a_kcount', 'b_hours']);
  expect(marked).toBe('prices, batch at half, without a_kcount+b_hours');
  expect(readUnpricedUnits(marked)).toEqual(['a_kcount', 'b_hours']);
  expect([null, '', 'prices', 'prices, without A;'].map(readUnpricedUnits)).toEqual([[], [], [], []]);
  expect([markUnpriced(null, ['a']), markUnpriced('prices', [])]).toEqual([null, 'prices']);
});

test('no unit is cut in two, however many there are', () => {
  const units = Array.from({ length: 30 }, (_, at) => `unit_${at}_kcount`);
  const marked = markUnpriced('prices', units) ?? '';
  expect(marked.length).toBeLessThanOrEqual(maxPriceVersion);
  expect(units).toEqual(expect.arrayContaining(readUnpricedUnits(marked)));
  expect(readUnpricedUnits(marked).length).toBeGreaterThan(5);
});

test('a unit of a model has a name in lists', () => {
  const model = 'm without\nb';
  expect(readUnpriced(nameUnpriced(model, 'a_kcount'))).toEqual({ model, unit: 'a_kcount' });
  expect(readUnpriced(model)).toEqual({ model, unit: null });
});
