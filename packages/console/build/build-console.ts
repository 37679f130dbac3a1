import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { parseJson } from '@agp/core/json';

const packageFolder = join(import.meta.dirname, '..');
const workspaceFolder = join(packageFolder, '../..');
const dist = join(packageFolder, 'dist');
/** Its content is the digest of what `dist` was built from. */
const stampName = '.built-from';

interface Manifest {
  dependencies?: Record<string, string>;
}

/** A package's folder, and those of all that it imports. */
function listPackages(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  const file = join(workspaceFolder, 'packages', name, 'package.json');
  const { dependencies = {} } = parseJson(readFileSync(file, 'utf8')) as Manifest;
  for (const each of Object.keys(dependencies))
    if (each.startsWith('@agp/')) listPackages(each.slice('@agp/'.length), found);
  return found;
}

/** What decides the result of a build, from the root of the workspace. */
const sources = [
  'packages/console/{src,public,build}/**/*.*',
  'packages/console/{index.html,package.json,vite.config.ts}',
  `packages/{${[...listPackages('console')]}}/src/**/*.ts`,
  'docs/lineage/*.mjs',
  'pnpm-lock.yaml',
];

function digestSources(): string {
  const digest = createHash('sha256');
  for (const path of globSync(sources, { cwd: workspaceFolder }).sort())
    if (!/\.test\.tsx?$/.test(path)) digest.update(`${path}\n`).update(readFileSync(join(workspaceFolder, path)));
  return digest.digest('hex');
}

const isBuiltFrom = (digest: string) => {
  const stamp = join(dist, stampName);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === digest;
};

/** Puts a finished folder in the place of `dist`. Another build may do so at the same time. */
function swapIn(folder: string, digest: string): void {
  const old = `${folder}-old`;
  try {
    if (existsSync(dist)) renameSync(dist, old);
    renameSync(folder, dist);
  } catch (error) {
    if (!isBuiltFrom(digest)) throw error;
  } finally {
    for (const left of [old, folder]) rmSync(left, { recursive: true, force: true });
  }
}

function compressFiles(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    if (/\.(?:js|css|svg)$/.test(name))
      writeFileSync(join(folder, `${name}.gz`), gzipSync(readFileSync(join(folder, name)), { level: 9 }));
}

/** Runs Vite as a process of its own: it takes some 600 MB, which go back to the system with it. */
async function bundleInto(folder: string): Promise<void> {
  const vite = join(packageFolder, 'node_modules/vite/bin/vite.js');
  const args = ['build', '--config', 'vite.config.ts', '--outDir', folder, '--emptyOutDir', '--logLevel', 'error'];
  // Under `test` React would come with its checks for developers.
  const env = { ...process.env, NODE_ENV: 'production' };
  await promisify(execFile)(process.execPath, [vite, ...args], { cwd: packageFolder, env });
}

/** Builds the console's static files into `dist`, unless they are built from the same sources already. */
export async function buildConsole({ report }: { report?: (line: string) => void } = {}): Promise<boolean> {
  const digest = digestSources();
  if (isBuiltFrom(digest)) return false;
  report?.('building the console ...');
  const folder = join(packageFolder, 'node_modules/.build', randomUUID());
  mkdirSync(folder, { recursive: true });
  await bundleInto(folder);
  compressFiles(folder);
  writeFileSync(join(folder, stampName), digest);
  swapIn(folder, digest);
  return true;
}
