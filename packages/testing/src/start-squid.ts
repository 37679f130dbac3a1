import { writeFileSync } from 'node:fs';
import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readLocalStackConfig } from '@agp/local-stack';
import { findServer, type ServerBinary, startServer } from '@agp/local-stack/servers';
import { openTestGuard } from './open-test-guard.ts';

interface SquidOptions {
  /** Names that it alone knows, each at 127.0.0.1. */
  names: readonly string[];
  /** Domains that it refuses. */
  refused?: readonly string[];
  /** `user password`: it asks everybody for these. */
  login?: string;
}

/** Where an unpacked package has what squid looks for in the system. */
function listPlaces({ file, environment }: ServerBinary): string[] {
  if (environment.LD_LIBRARY_PATH === undefined) return [];
  const root = file.slice(0, file.lastIndexOf('/usr/'));
  return [
    `mime_table ${root}/usr/share/squid/mime.conf`,
    `error_directory ${root}/usr/share/squid/errors/templates`,
    `icon_directory ${root}/usr/share/squid/icons`,
    `unlinkd_program ${root}/usr/lib/squid/unlinkd`,
  ];
}

/**
 * An egress proxy as companies have them.
 *
 * @returns its address, without user and password
 * @throws MissingServerError if squid is not on the machine and cannot be fetched
 */
export async function startSquid({
  names,
  refused = [],
  login,
}: SquidOptions): Promise<{ url: string } & AsyncDisposable> {
  const config = readLocalStackConfig(process.env, (line) => console.log(`test servers: ${line}`));
  const binary = await findServer('squid', config);
  const folder = await mkdtemp(join(tmpdir(), 'agp-squid-'));
  const guard = openTestGuard();
  guard.removeFolder(folder);
  // As root it becomes another user.
  await chmod(folder, 0o755);
  const file = (name: string) => join(folder, name);
  await writeFile(file('hosts'), `${names.map((name) => `127.0.0.1 ${name}`).join('\n')}\n`);
  const [, user = '', password = ''] = /^(\S+) (.*)$/.exec(login ?? '') ?? [];
  const expected = `${user} ${encodeURIComponent(password)}`;
  await writeFile(
    file('login.sh'),
    `while read -r given; do [ "$given" = "${expected}" ] && echo OK || echo ERR; done\n`,
  );
  const rules = [
    ...(refused.length === 0 ? [] : [`acl refused dstdomain ${refused.join(' ')}`, 'http_access deny refused']),
    ...(login === undefined
      ? ['http_access allow localhost']
      : [
          `auth_param basic program /bin/sh ${file('login.sh')}`,
          'auth_param basic children 1',
          'acl known proxy_auth REQUIRED',
          'http_access allow known',
        ]),
    'http_access deny all',
  ];
  const settings = [
    ...[
      `hosts_file ${file('hosts')}`,
      `coredump_dir ${folder}`,
      'pid_filename none',
      'pinger_enable off',
      'dns_nameservers 127.0.0.1',
    ],
    ...['cache_log /dev/null', 'access_log none', 'cache deny all', 'cache_mem 8 MB', 'shutdown_lifetime 0 seconds'],
    ...listPlaces(binary),
    ...rules,
  ];
  try {
    const { url } = await startServer(
      {
        name: 'squid',
        file: binary.file,
        environment: binary.environment,
        args: (port) => {
          writeFileSync(file('squid.conf'), [`http_port 127.0.0.1:${port}`, ...settings, ''].join('\n'));
          return ['-N', '-d', '1', '-f', file('squid.conf')];
        },
        readyLine: /Accepting HTTP Socket connections/,
        stopSignals: ['SIGTERM'],
        url: (port) => `http://127.0.0.1:${port}`,
      },
      { guard, stopSignals: [] },
    );
    return { url, [Symbol.asyncDispose]: () => guard.stop() };
  } catch (error) {
    await guard.stop();
    throw error;
  }
}
