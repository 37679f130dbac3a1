import { findAuditDivergence } from '@agp/testing/events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AuditEntry, linkAudit } from './audit.ts';
import { auditActions } from './contracts/audit-action.ts';
import { emptyHead } from './lineage/chain.ts';

const text = fc.string({ unit: 'binary' }).map((value) => value.toWellFormed());
const state = fc.option(
  fc.dictionary(
    text,
    fc.jsonValue({ noUnicodeString: false }).map((value) => JSON.parse(JSON.stringify(value).toWellFormed())),
  ),
  { nil: null },
);
const anyEntry = fc.record<AuditEntry>({
  id: text,
  timestamp: fc.constant('2026-11-20T19:06:16.393Z'),
  actor: fc.oneof(
    fc.record({ kind: fc.constant('api_key' as const), id: text, name: text }),
    fc.constantFrom({ kind: 'proxy' as const }, { kind: 'system' as const }),
  ),
  source_ip: fc.option(text, { nil: null }),
  action: fc.constantFrom(...auditActions),
  agent_id: fc.option(text, { nil: null }),
  target: fc.option(text, { nil: null }),
  before: state,
  after: state,
  count: fc.nat(),
});

function toRows(entries: AuditEntry[], head = emptyHead) {
  return linkAudit(head, entries).map(({ entry, seq, payload, lineageHash }) => ({
    seq,
    id: entry.id,
    payload,
    lineage_hash: lineageHash,
  }));
}

test('chains verify with a second implementation, with anything in `before` and `after`', () => {
  fc.assert(
    fc.property(fc.array(anyEntry, { maxLength: 8 }), (entries) => {
      expect(findAuditDivergence(toRows(entries))).toBeNull();
    }),
    { numRuns: 150 },
  );
});

test('a chain that is continued from its head is the same as one that is made at once', () => {
  fc.assert(
    fc.property(fc.array(anyEntry, { minLength: 1, maxLength: 6 }), fc.nat(), (entries, cut) => {
      const whole = toRows(entries);
      const start = whole.slice(0, cut % entries.length);
      const head = { length: start.length, hash: start.at(-1)?.lineage_hash ?? emptyHead.hash };
      expect([...start, ...toRows(entries.slice(start.length), head)]).toEqual(whole);
    }),
  );
});

test('a changed, removed or swapped entry is found at its place', () => {
  const entry = fc.sample(anyEntry, { numRuns: 4, seed: 1 });
  const rows = toRows(entry);
  const pick = (...places: number[]) => places.map((place) => rows[place] as (typeof rows)[number]);
  expect(findAuditDivergence(pick(0, 1, 2, 3))).toBeNull();
  expect(findAuditDivergence(pick(0, 2, 3))).toBe(1);
  expect(findAuditDivergence(pick(0, 2, 1, 3))).toBe(1);
  const changed = rows.map((row) => ({ ...row, payload: row.payload.replace('"count":', '"count":1') }));
  expect(findAuditDivergence([...pick(0, 1, 2), ...changed.slice(3)])).toBe(3);
});

test('members with numbers as names are sorted as text', () => {
  const [first] = fc.sample(anyEntry, { numRuns: 1, seed: 2 });
  const after = { '10': 1, '9': 2, b: 3, a: new Date(0) };
  const [linked] = linkAudit(emptyHead, [{ ...(first as AuditEntry), after }]);
  expect(linked?.payload).toContain('"after":{"10":1,"9":2,"a":"1970-01-01T00:00:00.000Z","b":3}');
});
