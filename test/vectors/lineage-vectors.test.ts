import { readdirSync, readFileSync } from 'node:fs';
import { type ChainEntry, canonical, findDivergence } from '@agp/testing/events';
import { expect, test } from 'vitest';

interface Vector {
  description: string;
  session_id: string;
  /** The events as proxies published them, where the vector has them. */
  events?: ({ cost_nano_usd: number; counts_as_request: boolean } & Record<string, string>)[];
  entries: ChainEntry[];
  valid: boolean;
  first_divergence: number | null;
}

const vectors = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith('.json'))
  .map((name): [string, Vector] => [name, JSON.parse(readFileSync(`${import.meta.dirname}/${name}`, 'utf8'))]);

/** USD from whole nano-dollars by way of the decimal text, not by division. */
function toUsd(nano: number): number {
  const digits = String(nano).padStart(10, '0');
  return Number(`${digits.slice(0, -9)}.${digits.slice(-9)}`);
}

test('there are vectors of both kinds', () => {
  expect(vectors.filter(([, { valid }]) => valid).length).toBeGreaterThanOrEqual(4);
  expect(vectors.filter(([, { valid }]) => !valid).length).toBeGreaterThanOrEqual(9);
});

test.each(vectors)('%s diverges where it says', (_, vector) => {
  expect(findDivergence(vector.session_id, vector.entries)).toBe(vector.first_divergence);
  expect(vector.valid).toBe(vector.first_divergence === null);
});

test.each(vectors.filter(([, { events }]) => events !== undefined))(
  '%s: payloads follow from the events',
  (_, vector) => {
    const payloads = (vector.events ?? []).map(({ cost_nano_usd, counts_as_request: _, ...members }, seq) =>
      canonical({ ...members, v: 'policy_version' in members ? 2 : 1, seq, cost_usd: toUsd(cost_nano_usd) }),
    );
    expect(payloads).toEqual(vector.entries.map(({ payload }) => payload));
  },
);
