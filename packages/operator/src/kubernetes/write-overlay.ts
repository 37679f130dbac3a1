import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CommandError } from '../run-command.ts';

/**
 * Writes the files of an overlay, and none of them where one is there with another text, unless they may be overwritten.
 *
 * @returns the paths of the files that are new or changed
 * @throws CommandError naming the files that differ
 */
export function writeOverlay(
  folder: string,
  files: ReadonlyMap<string, string>,
  { overwrite }: { overwrite: boolean },
): string[] {
  const changed = [...files].filter(([path, text]) => {
    const file = join(folder, path);
    return !existsSync(file) || readFileSync(file, 'utf8') !== text;
  });
  const differing = changed.map(([path]) => join(folder, path)).filter((file) => existsSync(file));
  if (differing.length > 0 && !overwrite)
    throw new CommandError(
      `${differing.join(', ')}: there already, and another. Nothing was written: name another --folder, or give --overwrite.`,
    );
  for (const [path, text] of changed) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return changed.map(([path]) => join(folder, path));
}
