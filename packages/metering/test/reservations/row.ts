import type { ProviderApi } from '../../src/providers/index.ts';

/** What is reserved where nothing bounds the output: as configured, and in strict mode what any model writes at most. */
export const open = 4_096;
export const longest = 131_072;
/** What is reserved for a price that is not known: 0.01 USD. */
export const unpriced = 10;

/** A body, the tokens that it reserves by default, and those in strict mode, or why it is refused there. */
export type Row = [body: object | string, available: number, strict: number | RegExp];

/** Numbers that are none, and what a lenient server would make of each. */
const doubtful: [string, number][] = [
  ['0.4', 1],
  ['"100000"', 100_000],
  ['1e30', 1e9],
  ['-1', 0],
  ['true', 1],
  ['[]', 0],
  ['[5000]', 5_000],
  ['{}', 0],
  ['"many"', 0],
];

export const doubtfulBounds = (name: string, before = '', after = ''): Row[] =>
  doubtful.map(([value, read]) => [
    `{"model":"m",${before}"${name}":${value}${after}}`,
    Math.max(open, read),
    new RegExp(`${name} must be a whole number`),
  ]);
/** The rows of one operation. */
export interface OperationRows {
  path: string;
  /** OpenAI's if not given. */
  api?: ProviderApi;
  rows: Row[];
}
