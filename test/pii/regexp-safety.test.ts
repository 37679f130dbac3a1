import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'vite';
import { describe, expect, test } from 'vitest';

// The package's other entry looks for a program or Java to run. This one is the same checker in JavaScript alone.
const { checkSync } = createRequire(import.meta.url)('recheck/lib/browser.js') as typeof import('recheck');

const folder = new URL('../../packages/pii/src/', import.meta.url);

/** Every RegExp literal of a source file, and how often it makes one of a string, which cannot be checked here. */
function readRegExps(source: string): { literals: { pattern: string; flags: string }[]; built: number } {
  const literals: { pattern: string; flags: string }[] = [];
  let built = 0;
  JSON.stringify(parseSync('source.ts', source).program, (_, node) => {
    if (node?.type === 'Literal' && node.regex) literals.push(node.regex);
    if (/^(?:New|Call)Expression$/.test(node?.type) && node.callee.name === 'RegExp') built++;
    return typeof node === 'bigint' ? 0 : node;
  });
  return { literals, built };
}

/**
 * How the time a RegExp takes grows with the length of what it is tried on: `safe` where at most in proportion. Where it has
 * large bounds this is found by trial, always with the same trials.
 */
function checkRegExp(pattern: string, flags: string): string {
  const checked = checkSync(pattern, flags, { timeout: null, attackLimit: 10_000_000 });
  return checked.status === 'vulnerable' ? checked.complexity.summary : checked.status;
}

/** Files whose RegExps only ever see a slice of bounded length, where what the check says of long texts does not matter. */
const seeOnlySlices = ['address/read-words.ts', 'contact/phone-naming.ts'];

test('the check tells good from bad', () => {
  const { literals, built } = readRegExps(
    String.raw`const a = /(a+)+$/; f(/[\w.]+@[\w.]+\.x/i, new RegExp('b')) as 1;`,
  );
  expect(literals.map(({ pattern, flags }) => checkRegExp(pattern, flags))).toEqual([
    'exponential',
    '2nd degree polynomial',
  ]);
  expect(built).toBe(1);
  expect(checkRegExp('[a-z]{1,8}@', '')).toBe('safe');
});

const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !seeOnlySlices.includes(name))
  .map((name) => ({ name, ...readRegExps(readFileSync(fileURLToPath(new URL(name, folder)), 'utf8')) }))
  .filter(({ literals, built }) => literals.length + built > 0);

describe('no RegExp that a PII detector tries on a whole text can be made to take more than linear time', () => {
  test('there are some', () => {
    expect(files.flatMap(({ literals }) => literals).length).toBeGreaterThan(100);
  });

  test.each(files)('$name', { timeout: 300_000 }, ({ literals, built }) => {
    expect(built).toBe(0);
    const bad = literals
      .map(({ pattern, flags }) => `/${pattern}/${flags} ${checkRegExp(pattern, flags)}`)
      .filter((line) => !line.endsWith(' safe'));
    expect(bad).toEqual([]);
  });
});
