import { execFileSync } from 'node:child_process';
import { workspaceFolder } from './run-tool.ts';

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: workspaceFolder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();

/** So many lines of the console may change until its pictures are taken again. */
const mostChanged = 1_000;

/**
 * Whether the console has changed too much since the pictures of the docs were taken.
 * @param since the commit that they are of; that of the last change to them if not given
 * @returns a sentence that says what to do; null if they are young enough, or this clone does not tell
 */
export function findOldPictures(since?: string, most = mostChanged): string | null {
  try {
    const taken = since ?? git('log', '-1', '--format=%H', '--', 'docs/console/*.png');
    const rows = git('diff', '--numstat', taken, '--', 'packages/console/src').split('\n');
    const changed = rows.map((row) => row.split('\t')).filter(([, , path = '']) => /\.(?:tsx|css)$/.test(path));
    const lines = changed.reduce((sum, [added, removed]) => sum + Number(added) + Number(removed), 0);
    if (lines <= most) return null;
    return `${lines} lines of the console changed since its pictures in docs/console were taken, ${most} may: npm run screenshots`;
  } catch {
    return null;
  }
}
