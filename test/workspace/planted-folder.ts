import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { listFiles } from './list-files.ts';
import { workspaceFolder } from './run-tool.ts';

export interface PlantedFolder extends Disposable {
  path: string;
}

/**
 * Makes a throw-away folder that the linters take for the workspace, with the same configuration and manifests,
 * and in it nothing but the files given.
 */
export function plantFolder(files: { path: string; text: string }[]): PlantedFolder {
  const folder = mkdtempSync(join(tmpdir(), 'agp-planted-'));
  const plugins = listFiles().filter((path) => path.endsWith('.grit'));
  const configuration = ['biome.json', '.oxlintrc.json', 'tsconfig.json', ...plugins];
  const manifests = listFiles().filter((path) => path === 'package.json' || path.endsWith('/package.json'));
  for (const path of [...configuration, ...manifests]) {
    cpSync(join(workspaceFolder, path), join(folder, path));
  }
  symlinkSync(join(workspaceFolder, 'node_modules'), join(folder, 'node_modules'));
  for (const { path, text } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return { path: folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}
