import { existsSync, globSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { ImageTree } from './build-trees.ts';

/** What a source loads when it runs: modules, and files beside it such as a worker's. Types are gone by then. */
const loaded =
  /^(?:import|export)(?! type\b)[^;]*?\bfrom '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)|new URL\('([^']+)', import\.meta\.url\)/gm;
/** What a page or a script of the console names beside itself. */
const asset = /(?:href|src)="\/([^"]+)"|["'/](assets\/[\w.-]+\.\w+)/g;

/**
 * Looks for files that the sources and pages in an image name and that are not in it.
 *
 * @returns a sentence for each, which names both
 */
export function findMissing({ target, root, workdir, command }: ImageTree): string[] {
  const app = join(root, 'app');
  const [, entry = ''] = /(\S+\.ts)/.exec(command.join(' ')) ?? [];
  const missing = new Map<string, string>();
  const need = (path: string, by: string) => {
    if (!existsSync(path)) missing.set(relative(app, path), by);
  };
  need(entry.startsWith('/') ? join(root, entry) : join(root, workdir, entry), 'its command');
  for (const file of globSync('{packages,services}/*/src/**/*.ts', { cwd: app }))
    for (const match of readFileSync(join(app, file), 'utf8').matchAll(loaded)) {
      const name = match.slice(1).find(Boolean) ?? '';
      if (name.startsWith('.')) need(join(app, dirname(file), name), file);
      else if (!/^(?:node:|#)/.test(name)) needPackage(app, file, name, missing);
    }
  for (const file of globSync('packages/console/dist/**/*.{html,js,css}', { cwd: app }))
    for (const match of readFileSync(join(app, file), 'utf8').matchAll(asset))
      need(join(app, 'packages/console/dist', match.slice(1).find(Boolean) ?? ''), file);
  if (existsSync(join(app, 'services/management'))) need(join(app, 'packages/console/dist/index.html'), 'management');
  return [...missing].map(([path, by]) => `the image ${target} lacks ${path}, which ${by} names`);
}

/** A package of the workspace is looked for with what it exports under that name, any other by its folder. */
function needPackage(app: string, file: string, name: string, missing: Map<string, string>): void {
  const [owner = '', own = ''] = file.split('/');
  const [scope = '', second = '', ...rest] = name.split('/');
  const isScoped = name.startsWith('@');
  const packageName = isScoped ? `${scope}/${second}` : scope;
  const folder = join(app, owner, own, 'node_modules', packageName);
  if (!existsSync(join(folder, 'package.json'))) missing.set(packageName, file);
  else if (packageName.startsWith('@agp/')) {
    const exported = `./${(isScoped ? rest : [second, ...rest]).join('/')}`.replace(/\/$/, '');
    const { exports = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      exports?: Record<string, string>;
    };
    const path = join(realpathSync(folder), exports[exported] ?? 'no such export');
    if (!existsSync(path)) missing.set(relative(realpathSync(app), path), file);
  }
}
