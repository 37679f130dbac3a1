import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'vite';

const require = createRequire(import.meta.url);
// The package's other entry looks for a program or Java to run. This one is the same checker in JavaScript alone.
const { checkSync } = require('recheck/lib/browser.js') as typeof import('recheck');
const { version } = require('recheck/package.json') as { version: string };

const folder = new URL('../../packages/pii/src/', import.meta.url);
const provenFile = new URL('./proven-regexps.txt', import.meta.url);

export interface RegExpLiteral {
  pattern: string;
  flags: string;
}

/** Every RegExp literal of a source file, and how often it makes one of a string, which cannot be checked here. */
export function readRegExps(source: string): { literals: RegExpLiteral[]; built: number } {
  const literals: RegExpLiteral[] = [];
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
 * large bounds this is found by trial, always with the same trials: without limits of time, which a busy machine meets sooner.
 */
export function checkRegExp({ pattern, flags }: RegExpLiteral): string {
  const checked = checkSync(pattern, flags, {
    timeout: null,
    incubationTimeout: null,
    attackTimeout: null,
    attackLimit: 10_000_000,
  });
  return checked.status === 'vulnerable' ? checked.complexity.summary : checked.status;
}

/** Files whose RegExps only ever see a slice of bounded length, where what the check says of long texts does not matter. */
const seeOnlySlices = [
  'kinds/address-words.ts',
  'kinds/open-address.ts',
  'kinds/phone-naming.ts',
  'open-ends.ts',
  'own-pattern.ts',
  'read-otherwise.ts',
];

/** The files of the PII package that have RegExps tried on a whole text. */
export const listRegExpFiles = () =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !seeOnlySlices.includes(name))
    .map((name) => ({ name, ...readRegExps(readFileSync(fileURLToPath(new URL(name, folder)), 'utf8')) }))
    .filter(({ literals, built }) => literals.length + built > 0);

/** By it a proven RegExp is known. A new version of the checker proves all of them again. */
export const digestRegExp = ({ pattern, flags }: RegExpLiteral) =>
  hash('sha256', `${version}/${pattern}/${flags}`).slice(0, 16);

/** RegExps that `npm run check:pii-linear` has found safe. */
export const readProven = () => new Set(readFileSync(provenFile, 'utf8').split('\n'));

export { provenFile };
