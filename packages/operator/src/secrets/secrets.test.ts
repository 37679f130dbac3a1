import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { defaultPlaces } from './list-secrets.ts';
import {
  completeSecrets,
  finishRotation,
  type Rotatable,
  readSecrets,
  rotatable,
  rotateSecrets,
  toManifests,
} from './secrets-folder.ts';

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agp-secrets-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

const read = (folder: string) => readSecrets(folder, defaultPlaces);

function findPasswords(secrets: ReadonlyMap<string, string>): string[][] {
  const passwords = [...secrets].flatMap(([path, text]) =>
    [...text.matchAll(/(?<=:\/\/[a-z_]+:)[^@]+|(?<=password: ")[^"]+|^[A-Za-z0-9_-]{32,}$/g)].map(([password]) => ({
      path,
      password,
    })),
  );
  return [...Map.groupBy(passwords, ({ password }) => password).values()].map((same) =>
    same.map(({ path }) => path).sort(),
  );
}

test('each secret is made once: a lost file is restored, and a changed one stays', () => {
  const folder = makeFolder();
  const first = completeSecrets(folder, defaultPlaces);
  expect(first).toHaveLength(24);
  const made = read(folder);
  expect(completeSecrets(folder, defaultPlaces)).toEqual([]);

  const elsewhere =
    made.get('proxy/database-url')?.replace('@postgres:5432/agp', '@db.example:6432/other?sslmode=verify-full') ?? '';
  rmSync(join(folder, 'proxy/database-url'));
  writeFileSync(join(folder, 'proxy/database-url'), `${elsewhere}\n`);
  rmSync(join(folder, 'nats'), { recursive: true });
  rmSync(join(folder, 'admin/writer-password'));
  expect(completeSecrets(folder, defaultPlaces)).toEqual(['admin/writer-password', 'nats/nats.conf']);
  expect(read(folder)).toEqual(new Map([...made, ['proxy/database-url', `${elsewhere}\n`]]));
});

test('every program has a password of its own on every server, and the servers know them', () => {
  const folder = makeFolder();
  completeSecrets(folder, defaultPlaces);
  expect(findPasswords(read(folder)).sort()).toEqual(
    [
      ...['proxy', 'writer', 'management', 'migrator'].map((role) =>
        [`${role}/database-url`, `admin/${role}-password`].sort(),
      ),
      ...['proxy', 'writer', 'management', 'operator'].map((role) => [`${role}/nats-url`, 'nats/nats.conf'].sort()),
      ...['proxy', 'writer', 'management', 'operator'].map((role) => [`${role}/redis-url`]),
      ['admin/grafana-password', 'grafana/database-password'],
      ['admin/database-url', 'postgres/password'],
      ['grafana/admin-password'],
      ['management/management-api-key'],
    ].sort(),
  );
});

test('containers can read single files, and nobody else can enter the folder', () => {
  const folder = makeFolder();
  completeSecrets(folder, defaultPlaces);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, 'proxy')).mode & 0o777).toBe(0o755);
  for (const path of read(folder).keys()) expect(statSync(join(folder, path)).mode & 0o777, path).toBe(0o444);
});

const rotated: Record<Rotatable, string[]> = {
  proxy: [
    'proxy/database-url',
    'admin/proxy-password',
    'proxy/nats-url',
    'proxy/redis-url',
    'nats/nats.conf',
    'redis/users.acl',
  ],
  writer: [
    'writer/database-url',
    'admin/writer-password',
    'writer/nats-url',
    'writer/redis-url',
    'nats/nats.conf',
    'redis/users.acl',
  ],
  management: [
    'management/database-url',
    'admin/management-password',
    'management/nats-url',
    'management/redis-url',
    'nats/nats.conf',
    'redis/users.acl',
  ],
  migrator: ['migrator/database-url', 'admin/migrator-password'],
  grafana: ['admin/grafana-password', 'grafana/database-password'],
  operator: ['operator/nats-url', 'operator/redis-url', 'nats/nats.conf', 'redis/users.acl'],
  'management-api-key': ['management/management-api-key'],
  'grafana-admin': ['grafana/admin-password'],
};

test.each(rotatable)('%s gets new passwords everywhere, and no other role does', (role) => {
  const folder = makeFolder();
  completeSecrets(folder, defaultPlaces);
  const before = read(folder);
  const groups = findPasswords(before).sort();
  expect(rotateSecrets(folder, defaultPlaces, role)).toEqual(rotated[role]);
  const after = read(folder);
  expect(
    [...after]
      .filter(([path, text]) => text !== before.get(path))
      .map(([path]) => path)
      .sort(),
  ).toEqual(rotated[role].toSorted());
  const urls = rotated[role].filter((path) => path.endsWith('-url'));
  if (urls.length > 0) {
    for (const path of urls) expect(after.get(path)?.split('\n')[0]).toBe(before.get(path));
    expect(() => rotateSecrets(folder, defaultPlaces, role)).toThrow(/an earlier change is not finished/);
    const acl = urls.some((path) => path.endsWith('/redis-url')) ? ['redis/users.acl'] : [];
    expect(finishRotation(folder, role)).toEqual([...urls, ...acl]);
  }
  expect(() => finishRotation(folder, role)).toThrow('no old password');
  const finished = read(folder);
  expect(findPasswords(finished).sort()).toEqual(groups);
  for (const path of urls) expect(after.get(path)).toBe(`${before.get(path)}\n${finished.get(path)}\n`);
});

test('while passwords are changed NATS has the new one alone, and Redis both', () => {
  const folder = makeFolder();
  completeSecrets(folder, defaultPlaces);
  const passwords = () =>
    ['nats-url', 'redis-url'].map((file) =>
      [...readFileSync(join(folder, 'proxy', file), 'utf8').matchAll(/(?<=:)[\w-]{32}(?=@)/g)].map(String),
    );
  rotateSecrets(folder, defaultPlaces, 'proxy');
  const [nats = [], redis = []] = passwords();
  const aclOf = () =>
    /^user proxy .*$/m.exec(readFileSync(join(folder, 'redis/users.acl'), 'utf8'))?.[0].match(/#\w+/g);
  const digests = redis.map((password) => `#${createHash('sha256').update(password).digest('hex')}`);
  expect([nats.length, redis.length]).toEqual([2, 2]);
  const config = readFileSync(join(folder, 'nats/nats.conf'), 'utf8');
  expect(nats.map((password) => config.includes(password))).toEqual([false, true]);
  expect(aclOf()).toEqual(digests);
  finishRotation(folder, 'proxy');
  expect(aclOf()).toEqual(digests.slice(1));
});

test('a new password changes nothing else in a URL, also with several servers', () => {
  const folder = makeFolder();
  completeSecrets(folder, defaultPlaces);
  rmSync(join(folder, 'proxy/nats-url'));
  writeFileSync(join(folder, 'proxy/nats-url'), 'tls://proxy:old%2D@a:4222,tls://proxy:old%2D@b:4222');
  rotateSecrets(folder, defaultPlaces, 'proxy');
  finishRotation(folder, 'proxy');
  const [, password] =
    /^tls:\/\/proxy:([\w-]{32})@a:4222,tls:\/\/proxy:\1@b:4222$/.exec(
      readFileSync(join(folder, 'proxy/nats-url'), 'utf8'),
    ) ?? [];
  expect(readFileSync(join(folder, 'nats/nats.conf'), 'utf8')).toContain(`{ user: "proxy", password: "${password}"`);
});

test('each folder is a Secret in Kubernetes, its files are its keys', () => {
  const secrets = new Map([
    ['proxy/nats-url', 'a'],
    ['proxy/redis-url', 'b'],
    ['nats/nats.conf', 'c'],
  ]);
  const { items } = toManifests(secrets, 'trial');
  expect(items.map(({ metadata, stringData }) => [metadata.namespace, metadata.name, stringData])).toEqual([
    ['trial', 'agp-proxy', { 'nats-url': 'a', 'redis-url': 'b' }],
    ['trial', 'agp-nats', { 'nats.conf': 'c' }],
  ]);
  // Of a second installation in the namespace.
  expect(toManifests(secrets, 'trial', 'second').items.map(({ metadata }) => metadata.name)).toEqual([
    'second-proxy',
    'second-nats',
  ]);
});

test('the command prints the manifests only, and secrets only with --kubernetes', () => {
  const folder = makeFolder();
  const run = (...args: string[]) =>
    execFileSync(process.execPath, ['packages/operator/src/commands/secrets.ts', '--folder', folder, ...args], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
  expect(run()).toBe('');
  expect(JSON.parse(run('--kubernetes')).items).toHaveLength(10);
  expect(() => run('--rotate', 'everybody')).toThrow('no role is called everybody');
});

test('a place that differs from the existing URLs is refused by name, and nothing is written', () => {
  const folder = makeFolder();
  const run = (...args: string[]) => {
    const command = ['packages/operator/src/commands/secrets.ts', '--folder', folder, ...args];
    const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' });
    return { status, stdout, stderr: stderr.trimEnd().split('\n') };
  };
  const places = [
    '--postgres',
    'db.acme.test:5432',
    '--nats',
    'nats.acme.test:4222',
    '--redis',
    'redis.acme.test:6379',
  ];
  expect(run(...places)).toMatchObject({ status: 0 });
  const edit = (path: string, change: (url: string) => string) => {
    const url = readFileSync(join(folder, path), 'utf8');
    rmSync(join(folder, path));
    writeFileSync(join(folder, path), change(url));
  };
  for (const place of ['https://pg:5432', 'pg:54x', 'pg 5432'])
    expect(run('--postgres', place)).toMatchObject({
      status: 2,
      stderr: expect.arrayContaining([`--postgres: ${place} must be host:port, several of one cluster after commas`]),
    });
  expect(run('--redis', 'sentinel://s-1:26379').status).toBe(2);
  expect(run('--folder', `${folder}-2`, '--tls', 'nats', '--authority').stderr[0]).toMatch(
    /^--authority: is of Postgres/,
  );
  expect(run('--tls', 'nats,redis', '--authority').stderr).toEqual([
    '--tls nats: not so in proxy/nats-url, writer/nats-url, management/nats-url, operator/nats-url',
    '--tls redis: not so in proxy/redis-url, writer/redis-url, management/redis-url, operator/redis-url',
    expect.stringMatching(/^--authority: not so in proxy\/database-url, /),
    expect.stringMatching(/^What is there stays/),
  ]);
  edit('proxy/database-url', (url) => `${url.replace(':5432', '')}?sslmode=verify-full`);
  edit('proxy/nats-url', (url) => url.replace('nats:', 'tls:'));
  edit('proxy/redis-url', (url) => `${url.replace('redis:', 'rediss:')}/0\n`);
  const complete = { status: 0, stderr: [`${folder} is complete`] };
  expect(run(...places, '--database', 'agp')).toMatchObject(complete);

  edit('writer/redis-url', (url) =>
    url.replace('redis://', 'redis+sentinel://').replace('redis.acme.test:6379', 'a.acme.test,b.acme.test:26379/main'),
  );
  const sentinels = 'sentinel://a.acme.test:26379,b.acme.test/main';
  expect(run('--redis', sentinels).stderr[0]).toBe(
    `--redis ${sentinels}: it is another one in proxy/redis-url, management/redis-url, operator/redis-url`,
  );
  rmSync(join(folder, 'writer/redis-url'));
  expect(run(...places)).toMatchObject({ status: 0 });

  edit('operator/nats-url', (url) => `${url},${url.replace('nats.acme', 'nats-2.acme')}`);
  expect(run()).toMatchObject(complete);
  rmSync(join(folder, 'writer/database-url'));
  const databases = 'proxy/database-url, management/database-url, migrator/database-url, admin/database-url';
  const refused = {
    status: 1,
    stdout: '',
    stderr: [
      `--postgres db.acme.test:6432: it is another one in ${databases}`,
      '--nats nats.acme.test:4222: it is another one in operator/nats-url',
      `--database other: it is another one in ${databases}`,
      `What is there stays: change these files of ${folder}, or name another folder with --folder. Nothing was written.`,
    ],
  };
  const other = [...places, '--postgres', 'db.acme.test:6432', '--database', 'other'];
  expect(run(...other, '--kubernetes')).toEqual(refused);
  expect(run(...other, '--rotate', 'proxy')).toEqual(refused);
  expect(run()).toMatchObject({ status: 0, stderr: ['written writer/database-url'] });
});
