import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writeNote } from '../running-servers.ts';
import { loadSecrets } from '../start/data-folder.ts';
import { nothingAnswers, readDemoConfig } from './demo-config.ts';

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agp-demo-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('the demo uses the addresses of the stack that was started last, unless variables override them', () => {
  const AGP_DATA_DIR = makeFolder();
  const { managementApiKey: managementKey } = loadSecrets(AGP_DATA_DIR);
  const usual = { proxyUrl: 'http://127.0.0.1:8080', managementUrl: 'http://127.0.0.1:8081', managementKey };
  expect(readDemoConfig({ AGP_DATA_DIR })).toEqual(usual);
  writeNote(AGP_DATA_DIR, 'services', { proxyUrl: 'http://0.0.0.0:5001', managementUrl: 'http://127.0.0.1:5002' });
  const noted = { proxyUrl: 'http://127.0.0.1:5001', managementUrl: 'http://127.0.0.1:5002', managementKey };
  expect(readDemoConfig({ AGP_DATA_DIR, PROXY_PORT: '0' })).toEqual(noted);
  expect(readDemoConfig({ AGP_DATA_DIR, PROXY_PORT: '6001', MANAGEMENT_API_KEY: 'own' })).toEqual({
    ...noted,
    proxyUrl: 'http://127.0.0.1:6001',
    managementKey: 'own',
  });
});

test('if no stack was started, the message says how to start one and how to name its folder', () => {
  expect(() => readDemoConfig({ AGP_DATA_DIR: makeFolder() })).toThrow(/npm start.*AGP_DATA_DIR/);
  expect(nothingAnswers('http://127.0.0.1:1').message).toMatch(/127\.0\.0\.1:1.*npm start.*AGP_DATA_DIR.*PROXY_PORT/);
});
