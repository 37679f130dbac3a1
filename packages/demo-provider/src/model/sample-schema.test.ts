import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ProviderFault } from '../provider-fault.ts';
import { Draws } from './draws.ts';
import { sampleSchema } from './sample-schema.ts';

const sample = (schema: unknown, seed = 'seed') => sampleSchema(schema, new Draws(seed), ['invoice', 'warehouse']);

const leaf = fc.oneof(
  fc.record({ type: fc.constant('string'), minLength: fc.nat(20) }),
  fc.constantFrom('date-time', 'email', 'uuid').map((format) => ({ type: 'string', format })),
  fc.constantFrom('^[A-Z]{3}$', '^\\d+$', '^\\d{4}-\\d{2}-\\d{2}$').map((pattern) => ({ type: 'string', pattern })),
  fc
    .uniqueArray(fc.oneof(fc.string(), fc.integer(), fc.constant(null)), { minLength: 1 })
    .map((list) => ({ enum: list })),
  fc.constantFrom({ type: 'boolean' }, { type: 'null' }, { type: ['string', 'null'] }, { const: 'fixed' }),
  fc.tuple(fc.integer({ min: -500, max: 500 }), fc.nat(500)).map(([minimum, room]) => ({
    type: 'integer',
    minimum,
    maximum: minimum + room,
  })),
  fc.tuple(fc.integer({ min: -50, max: 50 }), fc.integer({ min: 1, max: 5 })).map(([exclusiveMinimum, room]) => ({
    type: 'number',
    exclusiveMinimum,
    exclusiveMaximum: exclusiveMinimum + room,
  })),
  fc.constantFrom(3, 7, 25).map((multipleOf) => ({ type: 'integer', multipleOf, minimum: 10 })),
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

test('what it makes is what a validator lets through', () => {
  fc.assert(
    fc.property(anySchema, fc.string(), (schema, seed) => {
      // Fails where the schema asks for more than the bounds allow, which these are too small for.
      z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema).parse(sample(schema, seed));
    }),
    { numRuns: 300 },
  );
});

test('references, parts and recursion are followed, and end', () => {
  const tree = {
    $defs: {
      node: {
        type: 'object',
        properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
        required: ['name', 'children'],
      },
      next: {
        anyOf: [
          { type: 'object', properties: { next: { $ref: '#/$defs/next' } }, required: ['next'] },
          { type: 'null' },
        ],
      },
    },
    allOf: [
      { type: 'object', properties: { root: { $ref: '#/$defs/node' } }, required: ['root'] },
      { properties: { first: { $ref: '#/$defs/next' } }, required: ['first'] },
    ],
  };
  const { $defs, allOf } = tree;
  const made = sample(tree);
  for (const part of allOf) z.fromJSONSchema({ $defs, ...part } as never).parse(made);
});

test('Gemini’s types in capitals and counts as texts are read', () => {
  const schema = { type: 'OBJECT', properties: { at: { type: 'ARRAY', minItems: '3', items: { type: 'INTEGER' } } } };
  expect(sample(schema)).toEqual({ at: [expect.any(Number), expect.any(Number), expect.any(Number)] });
});

test('a member named __proto__ is made as any other', () => {
  const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}');
  expect(Object.keys(sample(schema) as object)).toEqual(['__proto__']);
  expect({}).not.toHaveProperty('polluted');
});

const recursive = { $ref: '#/$defs/a' };
test.each<[string, unknown]>([
  ['a billion items', { type: 'array', items: {}, minItems: 1e9 }],
  ['a list of lists of a thousand', { type: 'array', minItems: 1_000, items: { type: 'array', minItems: 1_000 } }],
  ['a billion letters', { type: 'string', minLength: 1e9 }],
  [
    'a value without end',
    { $defs: { a: { type: 'object', properties: { a: recursive }, required: ['a'] } }, ...recursive },
  ],
  ['a circle of references', { $defs: { a: recursive }, ...recursive }],
  ['a reference to nothing', { $ref: '#/$defs/none' }],
  ['a reference elsewhere', { $ref: 'https://example.com/schema' }],
  ['no number', { type: 'integer', minimum: 5, maximum: 4 }],
  ['no value', false],
  ['a text for a schema', 'object'],
  ['a text for a part', { type: 'object', properties: { a: 'string' }, required: ['a'] }],
])('a schema that asks for %s is refused', (_, schema) => {
  expect(() => sample(schema)).toThrow(ProviderFault);
});

test('a schema that refers to itself in many ways, and a pattern that takes for ever, do not', () => {
  const names = Array.from({ length: 40 }, (_, index) => `m${index}`);
  const properties = Object.fromEntries(names.map((name) => [name, { $ref: '#' }]));
  expect(sample({ type: 'object', properties })).toHaveProperty('m0');
  expect(sample({ type: 'string', pattern: '^(?:(?:a|a|.)*)*!$' })).toEqual(expect.any(String));
  expect(sample({ type: 'string', pattern: `${'.*'.repeat(90)}!` })).toEqual(expect.any(String));
});
