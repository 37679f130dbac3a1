import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MissingServerError } from '@agp/local-stack/servers';
import { afterAll, expect, test } from 'vitest';
import { installCodingAgents, packages } from './install-coding-agents.ts';
import { startFakeProvider } from './providers/index.ts';

const home = mkdtempSync(join(tmpdir(), 'agp-agents-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const install = (registry: string) =>
  installCodingAgents({
    ...{ PATH: process.env.PATH, HOME: home, AGP_DATA_DIR: home },
    ...{ npm_config_registry: registry, npm_config_fetch_retries: '0' },
  });

test('a registry that does not answer is a reason to skip', async () => {
  await expect(install('http://127.0.0.1:9')).rejects.toThrow(MissingServerError);
});

test('other bytes than those of the table are no reason to skip, and nothing is left of them', async () => {
  const all = Object.values(packages).flatMap((each) => Object.values(each));
  await using registry = await startFakeProvider(({ target }) => {
    if (target.endsWith('.tgz')) return { body: 'not what was published' };
    const named = all.filter(({ name }) => name === decodeURIComponent(target.slice(1)));
    const versions = named.map(({ name, version }) => {
      return [version, { name, version, dist: { tarball: `${registry.url}/${name}-${version}.tgz` } }];
    });
    return { body: { name: named[0]?.name, versions: Object.fromEntries(versions) } };
  });
  const error = await install(registry.url).catch((caught: unknown) => caught);
  expect(`${error}`).toContain('EINTEGRITY');
  expect(error).not.toBeInstanceOf(MissingServerError);
  expect(readdirSync(join(home, 'coding-agents'))).toEqual([]);
});
