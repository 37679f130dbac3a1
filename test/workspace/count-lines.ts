import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFiles } from './list-files.ts';
import { workspaceFolder } from './run-tool.ts';

/** What an issue may add, counted from the commit it began at; `.ci/allowance.json`. */
export interface Allowance {
  /** The issue, by its first words. */
  issue: string;
  /** The commit that its lines are counted from. */
  since: string;
  /** The most that each kind may have more than then, in lines; less than 0 for an issue that is to remove some. */
  most: Partial<Record<Kind, number>>;
  /** What is removed in return, in a sentence, by an issue that raises `most`. */
  paid_with?: string;
}

type Kind = 'source' | 'console' | 'tests';

const code = /^(?:packages|services|test)\/.*(?<!\.d)\.(?:ts|tsx|mjs)$/;
const ofTests = /\.test\.tsx?$|^test\/|\/test\/|^packages\/testing\//;

const toKind = (path: string): Kind =>
  ofTests.test(path) ? 'tests' : path.startsWith('packages/console/') ? 'console' : 'source';

/** The package or service of a file; all tests are one. */
const toRoom = (path: string): string => (ofTests.test(path) ? 'tests' : (path.split('/')[1] ?? path));

interface Lines {
  now: number;
  more: number;
}

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: workspaceFolder, encoding: 'utf8', maxBuffer: 1 << 28 });

/** Lines that each file has more than at a commit; null if this clone does not have the commit. */
function readGrowth(since: string): Map<string, number> | null {
  try {
    const rows = git('diff', '--numstat', '--no-renames', since, '--', 'packages', 'services', 'test').split('\n');
    const grown = rows.map((row) => row.split('\t')).filter(([, , path = '']) => code.test(path));
    return new Map(grown.map(([added, removed, path = '']) => [path, Number(added) - Number(removed)]));
  } catch {
    return null;
  }
}

const readLines = (path: string) => readFileSync(join(workspaceFolder, path), 'utf8').split('\n').length - 1;

/** Lines of code by package and by kind, and how many more than when the issue at hand began; 0 if that is not known. */
export function countLines(since: string): { rooms: Map<string, Lines>; kinds: Map<Kind, Lines>; isKnown: boolean } {
  const growth = readGrowth(since);
  const rooms = new Map<string, Lines>();
  const kinds = new Map<Kind, Lines>();
  const count = (path: string, now: number, more: number) => {
    for (const [sums, name] of [[rooms, toRoom(path)] as const, [kinds as Map<string, Lines>, toKind(path)] as const]) {
      const sum = sums.get(name) ?? { now: 0, more: 0 };
      sums.set(name, { now: sum.now + now, more: sum.more + more });
    }
  };
  const files = listFiles().filter((path) => code.test(path) && existsSync(join(workspaceFolder, path)));
  for (const path of files) count(path, readLines(path), 0);
  for (const [path, more] of growth ?? []) count(path, 0, more);
  return { rooms, kinds, isKnown: growth !== null };
}

/** @returns a sentence for each kind that has more lines than its issue allows */
export function findExcess({ most }: Allowance, kinds: ReadonlyMap<Kind, Lines>): string[] {
  return (Object.entries(most) as [Kind, number][]).flatMap(([kind, allowed]) => {
    const { more } = kinds.get(kind) ?? { more: 0 };
    return more > allowed ? [`${kind}: ${more} lines more, ${allowed} are allowed`] : [];
  });
}

/** Prints the lines of each room. @returns whether the issue at hand keeps to its allowance */
export function printLines(): boolean {
  const path = join(workspaceFolder, '.ci/allowance.json');
  const allowance: Allowance = JSON.parse(readFileSync(path, 'utf8'));
  const { rooms, kinds, isKnown } = countLines(allowance.since);
  const tell = ([name, { now, more }]: [string, Lines]) =>
    `${name} ${now}${isKnown && more !== 0 ? ` (${more > 0 ? '+' : ''}${more})` : ''}`;
  console.log(`lines of code since "${allowance.issue}" began${isKnown ? '' : ' (its commit is not in this clone)'}`);
  console.log(`  ${[...kinds].map(tell).join(', ')}`);
  console.log(
    `  ${[...rooms]
      .sort(([, a], [, b]) => b.now - a.now)
      .map(tell)
      .join(', ')}`,
  );
  const excess = isKnown ? findExcess(allowance, kinds) : [];
  for (const each of excess)
    console.log(`  ${each}: remove lines, or raise "most" in .ci/allowance.json and say what pays ("paid_with")`);
  return excess.length === 0;
}
