import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '@agp/testing';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createLogger } from '../logger.ts';
import { followSetting, readUrlAgain } from './follow-setting.ts';
import { followSettingFile } from './follow-setting-file.ts';
import { loadConfig, readSettingFile } from './load-config.ts';

test('a file is read again once another stands in its place, and one that is refused leaves what was read', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agp-follow-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'prices.json');
  const put = (text: string) => {
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  };
  put('1');
  let content: unknown = 1;
  const refused: string[] = [];
  const read = () => {
    content = readSettingFile('PRICES_FILE', file, JSON.parse);
  };
  using followed = followSettingFile(file, read, ({ message }) => refused.push(message));
  let writes = 0;
  await waitFor('the file to be read again', () => {
    put(`22${' '.repeat(++writes)}`);
    return content === 22;
  });
  expect([followed.isRefused, refused]).toEqual([false, []]);
  put('{');
  followed.look();
  expect([content, followed.isRefused]).toEqual([22, true]);
  expect(refused[0]).toMatch(/^PRICES_FILE: .*prices\.json: /);
  rmSync(file);
  followed.look();
  expect([content, followed.isRefused]).toEqual([22, true]);
  put('333');
  followed.look();
  expect([content, followed.isRefused]).toEqual([333, false]);
});

test('a setting is what its file holds at this moment, and what is refused is told without its content', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agp-follow-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'secret');
  writeFileSync(file, 'first-secret-value\n');
  const lines: string[] = [];
  const logger = createLogger('test', 'info', { write: (line) => void lines.push(line) });
  const someSecret = z.string().min(16);
  const config = loadConfig(z.object({ someSecret }), { SOME_SECRET_FILE: file });
  // It came after the start had read it.
  writeFileSync(file, 'second-secret-value');
  const changes: string[] = [];
  using followed = followSetting(config, 'someSecret', someSecret, logger, (value) => changes.push(value));
  expect([config.someSecret, changes]).toEqual(['second-secret-value', ['second-secret-value']]);
  for (const wrong of ['short-secret', '']) {
    writeFileSync(file, wrong);
    followed.look();
  }
  rmSync(file);
  followed.look();
  expect([config.someSecret, followed.isRefused]).toEqual(['second-secret-value', true]);
  writeFileSync(file, 'postgres://u:one@h/agp\npostgres://u:two@h/agp');
  const url = readUrlAgain(
    { databaseUrl: 'postgres://u:one@h/agp', files: { databaseUrl: file } },
    'databaseUrl',
    logger,
  ) as () => string;
  expect(url()).toBe('postgres://u:one@h/agp\npostgres://u:two@h/agp');
  writeFileSync(file, 'postgres://u:one@h/agp\npostgres://u:canary%ZZ@h/agp');
  expect([url(), url()]).toEqual(Array(2).fill('postgres://u:one@h/agp\npostgres://u:two@h/agp'));
  expect(lines.map((line) => JSON.parse(line).error ?? JSON.parse(line).variable)).toEqual([
    'SOME_SECRET_FILE',
    'SOME_SECRET_FILE: must have at least 16 characters',
    `SOME_SECRET_FILE: ${file} is empty`,
    `SOME_SECRET_FILE: cannot read ${file}`,
    expect.stringMatching(/^DATABASE_URL_FILE: is not a URL/),
  ]);
  expect(lines.join('')).not.toMatch(/short-secret|canary|secret-value/);
});
