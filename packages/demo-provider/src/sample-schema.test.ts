import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ProviderFault } from './request.ts';
import { sampleSchema } from './sample-schema.ts';

const leaf = fc.oneof(
  fc.record({ type: fc.constant('string'), minLength: fc.nat(20) }),
  fc.constantFrom('date-time', 'email', 'uuid').map((format) => ({ type: 'string', format })),
  fc.constantFrom('^[A-Z]{3}$', '^\\d+$', '^\\d{4}-\\d{2}-\\d{2}$').map((pattern) => ({ type: 'string', pattern })),
  fc.uniqueArray(fc.oneof(fc.string(), fc.integer()), { minLength: 1 }).map((list) => ({ enum: list })),
  fc.constantFrom({ type: 'boolean' }, { type: 'null' }, { type: ['string', 'null'] }, { const: 'fixed' }),
  fc.tuple(fc.integer({ min: -500, max: 500 }), fc.nat(500)).map(([minimum, room]) => ({
    type: 'integer',
    minimum,
    maximum: minimum + room,
  })),
);
const { schema: anySchema } = fc.letrec<{ schema: object }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.record({ type: fc.constant('array'), items: tie('schema'), minItems: fc.nat(3) }),
    fc.dictionary(fc.string({ maxLength: 8 }), tie('schema'), { maxKeys: 4 }).map((properties) => ({
      type: 'object',
      properties,
      required: Object.keys(properties),
      additionalProperties: false,
    })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
  ),
}));

test('what it makes is what a validator lets through, the same each time', () => {
  fc.assert(
    fc.property(anySchema, (schema) => {
      const made = sampleSchema(schema);
      z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema).parse(made);
      expect(sampleSchema(schema)).toEqual(made);
    }),
    { numRuns: 300 },
  );
});

test('Gemini’s types in capitals and counts as texts are read', () => {
  const schema = { type: 'OBJECT', properties: { at: { type: 'ARRAY', minItems: '3', items: { type: 'INTEGER' } } } };
  const { at } = sampleSchema(schema) as { at: number[] };
  expect(at.length).toBeGreaterThanOrEqual(3);
  expect(at.every(Number.isInteger)).toBe(true);
});

test('a schema that refers to itself ends', () => {
  const list = { type: 'array', items: { $ref: '#/$defs/node' } };
  const node = { type: 'object', properties: { name: { type: 'string' }, children: list }, required: ['name'] };
  expect(sampleSchema({ $defs: { node }, $ref: '#/$defs/node' })).toMatchObject({ name: expect.any(String) });
});

test.each<[string, unknown]>([
  ['a billion items', { type: 'array', items: {}, minItems: 1e9 }],
  ['a list of lists of a thousand', { type: 'array', minItems: 1_000, items: { type: 'array', minItems: 1_000 } }],
  ['a billion letters', { type: 'string', minLength: 1e9 }],
  ['a reference to nothing', { $ref: '#/$defs/none' }],
  ['a reference elsewhere', { $ref: 'https://example.com/schema' }],
  ['no value', false],
])('a schema that asks for %s is refused', (_, schema) => {
  expect(() => sampleSchema(schema)).toThrow(ProviderFault);
});
