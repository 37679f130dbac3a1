import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readOwnProviders, writeProvidersFile } from './write-providers-file.ts';

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agp-providers-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('the demo provider is added to the user’s providers, unless one has its id', () => {
  const folder = makeFolder();
  const own = join(folder, 'own.json');
  const entries = [
    { id: 'local', api: 'openai', base_url: 'http://127.0.0.1:1' },
    { id: 'demo', api: 'gemini', base_url: 'http://127.0.0.1:2' },
  ];
  writeFileSync(own, JSON.stringify(entries));
  const file = writeProvidersFile(folder, 'http://127.0.0.1:3', readOwnProviders(own));
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual([
    ...entries,
    { id: 'demo-anthropic', api: 'anthropic', base_url: 'http://127.0.0.1:3/anthropic' },
    { id: 'demo-gemini', api: 'gemini', base_url: 'http://127.0.0.1:3/gemini' },
    { id: 'demo-bedrock', api: 'bedrock', base_url: 'http://127.0.0.1:3/bedrock', geo: 'eu' },
  ]);
});

test('entries that are none are left to the proxy, which names them', () => {
  const folder = makeFolder();
  const own = join(folder, 'own.json');
  writeFileSync(own, '[null, 1]');
  const file = writeProvidersFile(folder, 'http://127.0.0.1:3', readOwnProviders(own));
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject([null, 1, { id: 'demo' }, {}, {}, {}]);
});

test.for(['{}', 'no JSON', undefined])('an error names a providers file with content %s', (content) => {
  const own = join(makeFolder(), 'own.json');
  if (content !== undefined) writeFileSync(own, content);
  expect(() => readOwnProviders(own)).toThrow(own);
});
