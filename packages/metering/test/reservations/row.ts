import type { ProviderApi } from '../../src/dialects/operation.ts';

/** The output reserved where nothing bounds it: the configured default, and in strict mode the most that any model writes. */
export const open = 4_096;
export const longest = 131_072;
/** The reservation for an unknown price: 0.01 USD. */
export const unpriced = 10;

/** A body, the tokens that it reserves by default, and those in strict mode, or why it is refused there. */
export type Row = [body: object | string, available: number, strict: number | RegExp];

/** Bounds that are not valid numbers, and how a lenient server would read each. */
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
