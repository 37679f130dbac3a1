import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { managementConfigSchema, proxyConfigSchema, writerConfigSchema } from '@agp/settings';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { defaultPlaces } from '../../packages/operator/src/secrets/list-secrets.ts';
import { givenPaths, listMadeSecrets } from '../../packages/operator/src/secrets/secrets-folder.ts';
import { listFiles } from '../workspace/list-files.ts';
import { workspaceFolder } from '../workspace/run-tool.ts';
import { readComposeMounts, secretRows } from './secrets-table.ts';

const read = (file: string) => readFileSync(join(workspaceFolder, file), 'utf8');
const paths = secretRows.map(({ path }) => path);

test('the table has each secret that is made or given, and no other', () => {
  expect(paths.toSorted()).toEqual([...listMadeSecrets(defaultPlaces), ...givenPaths].filter(isFirst).sort());
  expect(new Set(paths).size).toBe(paths.length);
});

const isFirst = (path: string, at: number, all: readonly string[]) => all.indexOf(path) === at;

test('the table has each secret that Compose mounts, and says who mounts it', () => {
  const mounts = readComposeMounts();
  expect([...mounts.keys()].filter((path) => !paths.includes(path))).toEqual([]);
  for (const { path, mountedBy } of secretRows)
    expect([path, mountedBy ?? mounts.get(path)?.join()]).not.toEqual([path, undefined]);
});

test('the table has each Secret that manifests mount', () => {
  const files = listFiles().filter((file) => /^k8s\/(?!examples\/).*\.yaml$/.test(file));
  const names = files.flatMap((file) => [...read(file).matchAll(/secretName: agp-(\S+)/g)].map(([, name]) => name));
  expect(names.length).toBeGreaterThan(8);
  const folders = new Set(paths.map((path) => path.split('/')[0]));
  expect(names.filter((name) => !folders.has(name as string))).toEqual([]);
});

test('each setting that may hold a secret has its row, which says whether it is followed', () => {
  const settings = [proxyConfigSchema, writerConfigSchema, managementConfigSchema].flatMap(({ shape }) =>
    Object.keys(shape).filter((key) => /(?:Url|Secret|(?<!Per)Key)$/.test(key)),
  );
  const told = secretRows.map(({ setting }) => setting);
  expect(settings.filter((key) => !told.includes(key))).toEqual([]);
  const sources = listFiles().filter((file) => /^services\/[^/]+\/src\/.*(?<!\.test)\.ts$/.test(file));
  const code = sources.map(read).join('\n');
  const find = (name: string) =>
    new Set([...code.matchAll(new RegExp(`${name}\\(config, '(\\w+)'`, 'g'))].map(([, key]) => key));
  const rowsOf = (taken: string) =>
    new Set(
      secretRows.filter((row) => row.taken === taken && !/^[A-Z]/.test(row.setting ?? 'A')).map((row) => row.setting),
    );
  expect(rowsOf('at each connection')).toEqual(find('readUrlAgain'));
  expect(rowsOf('within a second')).toEqual(find('followSetting'));
});

test('each example for other tools is YAML that names secrets of the table', () => {
  const files = listFiles().filter((file) => file.startsWith('k8s/examples/') && file.endsWith('.yaml'));
  expect(files.length).toBeGreaterThan(4);
  for (const file of files) {
    const documents = parseAllDocuments(read(file));
    expect(documents.length, file).toBeGreaterThan(0);
    for (const document of documents) expect(document.errors, file).toEqual([]);
    const named = [...read(file).matchAll(/\bagp-(\w+)\b/g)].map(([, name]) => name as string);
    const folders = new Set(paths.map((path) => path.split('/')[0]));
    expect(
      named.filter((name) => !folders.has(name) && !['proxy', 'provider', 'postgres'].includes(name)),
      file,
    ).toEqual([]);
  }
});
