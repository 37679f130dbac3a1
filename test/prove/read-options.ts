import { parseArgs } from 'node:util';
import type { Story } from './story.ts';

/** What the stories of random or endless work are told. */
export interface Lengths {
  /** Every story small: at most ten minutes in all. */
  isShort: boolean;
  fuzzMinutes: number;
  soakMinutes: number;
  soakPerSecond: number;
  /** Random requests under strict caps. */
  runs: number;
  seed: number;
  /** Requests a second while a server is lost. */
  load: number;
}

export interface ProveOptions {
  isList: boolean;
  stories: Story[];
}

export const usage = `usage: npm run prove -- [--only <story>,...] [--short] [--list] [--fuzz-minutes 2] [--soak-minutes 3] [--soak-per-second 60] [--runs 10000] [--seed 1] [--load 200]

Exit codes: 0 every promise kept, 1 one broken, 2 wrong usage. The table is also written to a file under .data/prove.`;

/** @returns what is wrong with the arguments, where something is */
export function readOptions(args: string[], listStories: (lengths: Lengths) => Story[]): ProveOptions | string {
  let values: ReturnType<typeof parse>['values'];
  try {
    ({ values } = parse(args));
  } catch (error) {
    return (error as Error).message;
  }
  const { list, short, only: asked, ...numbers } = values;
  const only = asked?.flatMap((names) => names.split(','));
  for (const [name, value] of Object.entries(numbers))
    if (!(Number(value) > 0)) return `--${name} must be a number above 0, not ${value}`;
  for (const name of ['runs', 'seed'] as const)
    if (!Number.isSafeInteger(Number(numbers[name]))) return `--${name} must be a whole number, not ${numbers[name]}`;
  const stories = listStories({
    isShort: short,
    fuzzMinutes: Number(numbers['fuzz-minutes']),
    soakMinutes: Number(numbers['soak-minutes']),
    soakPerSecond: Number(numbers['soak-per-second']),
    runs: Number(numbers.runs),
    seed: Number(numbers.seed),
    load: Number(numbers.load),
  });
  const unknown = only?.find((asked) => !stories.some(({ name }) => isPartOf(name, asked)));
  if (unknown !== undefined)
    return `there is no story ${unknown}; there are ${stories.map(({ name }) => name).join(', ')}`;
  if (!only) return { isList: list, stories: stories.filter(({ isApart }) => list || !isApart) };
  return { isList: list, stories: stories.filter(({ name }) => only.some((asked) => isPartOf(name, asked))) };
}

/** `failover` means all stories whose names begin so. */
const isPartOf = (name: string, asked: string) => name === asked || name.startsWith(`${asked}-`);

const parse = (args: string[]) =>
  parseArgs({
    args,
    options: {
      only: { type: 'string', multiple: true },
      list: { type: 'boolean', default: false },
      short: { type: 'boolean', default: false },
      'fuzz-minutes': { type: 'string', default: '2' },
      'soak-minutes': { type: 'string', default: '3' },
      // Less than the machine can do, since parts of it are away most of the time.
      'soak-per-second': { type: 'string', default: '60' },
      runs: { type: 'string', default: '10000' },
      seed: { type: 'string', default: String(Date.now() % 1e9) },
      load: { type: 'string', default: '200' },
    },
  });
