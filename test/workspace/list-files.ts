import { readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { workspaceFolder } from './run-tool.ts';

/** What is made on this machine and never committed. */
const skipped = new Set(['.git', '.data', 'coverage', 'dist', 'node_modules']);

/** Every file of the checkout that is or could be committed, as a path with slashes relative to the root. */
export function listFiles(folder = workspaceFolder): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !skipped.has(entry.name) && !entry.name.endsWith('.log'))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? listFiles(path) : [relative(workspaceFolder, path).split(sep).join('/')];
    });
}
