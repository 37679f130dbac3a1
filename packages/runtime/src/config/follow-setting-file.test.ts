import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '@agp/testing';
import { expect, onTestFinished, test } from 'vitest';
import { followSettingFile } from './follow-setting-file.ts';
import { readSettingFile } from './load-config.ts';

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
