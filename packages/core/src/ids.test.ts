import fc from 'fast-check';
import { TypeID } from 'typeid-js';
import { expect, test } from 'vitest';
import { fromPublicId, toPublicId, uuidTime } from './ids.ts';

function fromTypeId(id: string): string | null {
  try {
    return TypeID.fromString(id, 'evt').toUUID();
  } catch {
    return null;
  }
}

const digit = fc.constantFrom(...'0123456789abcdefghjkmnpqrstvwxyzilouA_-é');

test('a public id is read back as it was written', () => {
  fc.assert(
    fc.property(fc.uuid(), (uuid) => {
      expect(fromPublicId('evt', toPublicId('evt', uuid))).toBe(uuid);
    }),
  );
});

test('reads exactly the ids that typeid-js reads', () => {
  const suffix = fc.array(digit, { minLength: 25, maxLength: 27 }).map((digits) => digits.join(''));
  const valid = fc.uuid().map((uuid) => toPublicId('evt', uuid).slice(4));
  const changed = fc
    .tuple(valid, fc.nat(25), digit)
    .map(([text, at, other]) => text.slice(0, at) + other + text.slice(at + 1));
  const prefix = fc.constantFrom('evt_', 'agt_', 'evt', '_', 'evt__', 'EVT_', '');
  fc.assert(
    fc.property(prefix, fc.oneof(suffix, valid, changed, fc.string()), (start, end) => {
      expect(fromPublicId('evt', start + end)).toBe(fromTypeId(start + end));
    }),
    { numRuns: 150 },
  );
  for (const edge of ['0'.repeat(26), '7'.padEnd(26, 'z'), '8'.padEnd(26, '0'), '']) {
    expect(fromPublicId('evt', `evt_${edge}`)).toBe(fromTypeId(`evt_${edge}`));
  }
});

test('the time of a UUIDv7 is its first 48 bits', () => {
  expect(uuidTime('0199a8c7-5d3e-7000-8000-000000000000')).toBe(0x0199a8c75d3e);
});
