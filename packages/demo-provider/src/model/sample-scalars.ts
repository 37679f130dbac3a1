import { ProviderFault } from '../provider-fault.ts';
import type { Draws } from './draws.ts';
import type { Schema } from './read-schema.ts';

/** In UTF-16 units. */
const longestText = 10_000;

/** Values of formats, and texts that common patterns match. */
const formats: Record<string, string> = {
  'date-time': '2026-03-02T09:30:00Z',
  date: '2026-03-02',
  time: '09:30:00Z',
  duration: 'P1DT2H',
  email: 'ada@example.com',
  hostname: 'demo.example.com',
  ipv4: '192.0.2.7',
  ipv6: '2001:db8::7',
  uri: 'https://example.com/demo',
  uuid: '3f2b8c1e-5d6a-4b7c-9e8f-0a1b2c3d4e5f',
};
const candidates = [
  ...Object.values(formats),
  ...[
    'a',
    'A',
    '1',
    'demo',
    'Demo',
    'DEMO',
    'EUR',
    'DE',
    'en',
    'en-US',
    '42',
    '007',
    '1.0',
    '1.2.3',
    '12345',
    '#1a2b3c',
  ],
  ...[
    'INV-0042',
    'ABC-123',
    'AB-1234',
    'A1',
    '+4930123456',
    '2026',
    '09:30',
    '@demo',
    'demo-item',
    'demo_item',
    '10.50',
    '',
  ],
];
/** Patterns beyond this could take long to try. */
const maxPattern = { length: 200, quantifiers: 3 };

/** A number from 0 to 99 unless the schema's bounds exclude those. @throws ProviderFault if the bounds exclude everything */
export function sampleNumber(schema: Schema, type: 'integer' | 'number', draws: Draws): number {
  const read = (name: string) => (typeof schema[name] === 'number' ? (schema[name] as number) : undefined);
  const step = read('multipleOf') ?? (type === 'integer' ? 1 : 0.5);
  const above = read('exclusiveMinimum');
  const below = read('exclusiveMaximum');
  const least = Math.max(read('minimum') ?? Number.NEGATIVE_INFINITY, above ?? Number.NEGATIVE_INFINITY);
  const most = Math.min(read('maximum') ?? Number.POSITIVE_INFINITY, below ?? Number.POSITIVE_INFINITY);
  const isAllowed = (value: number) =>
    value >= least && value <= most && (above === undefined || value > above) && (below === undefined || value < below);
  const from = Number.isFinite(least) ? least : Number.isFinite(most) ? Math.min(0, most - 99) : 0;
  const room = Math.max(0, Math.min(99, (most - from) / step));
  const first = Math.ceil(from / step);
  const drawn = (first + draws.below(Math.floor(room) + 1)) * step;
  const found = [drawn, first * step, (first + 1) * step, (least + most) / 2].find(isAllowed);
  if (found === undefined || (type === 'integer' && !Number.isInteger(found)))
    throw new ProviderFault('invalid_request', 'The schema has bounds between which there is no number.');
  return found;
}

/** Words of the question, in the format, pattern and length that the schema asks for. */
export function sampleText(schema: Schema, draws: Draws, topics: readonly string[]): string {
  const least = Number(schema.minLength ?? 0);
  const most = Number(schema.maxLength ?? longestText);
  if (!(least <= Math.min(most, longestText)))
    throw new ProviderFault('invalid_request', 'The schema has an odd length.');
  const format = typeof schema.format === 'string' ? formats[schema.format] : undefined;
  if (format !== undefined) return format;
  const text = typeof schema.pattern === 'string' ? matchPattern(schema.pattern, least, most) : undefined;
  if (text !== undefined) return text;
  const words = draws.from(topics);
  return words.padEnd(least, ` ${words}`).slice(0, Math.max(most, 0));
}

function matchPattern(pattern: string, least: number, most: number): string | undefined {
  const quantifiers = pattern.match(/[*+?{]/g)?.length ?? 0;
  const isHard = pattern.length > maxPattern.length || quantifiers > maxPattern.quantifiers || /\)[*+?{]/.test(pattern);
  if (isHard) return undefined;
  try {
    const regexp = new RegExp(pattern, 'u');
    return candidates.find((text) => text.length >= least && text.length <= most && regexp.test(text));
  } catch {
    return undefined;
  }
}
