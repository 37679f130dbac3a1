import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RedisPasswords } from '@agp/operator';
import { renderRedisAcl } from '@agp/reservations/permissions';
import type { ServerBinary } from './find-server.ts';
import { type RunningServer, type ServerOptions, startServer, type TlsFiles } from './server.ts';

export interface RedisOptions extends ServerOptions {
  passwords: RedisPasswords;
  /** With it, Redis speaks nothing but TLS. */
  tls?: TlsFiles | undefined;
}

/**
 * Starts Redis (or Valkey), all users with a password, in `users.acl` of the folder: a writer of Redis can often make it write files. The url
 * is an administrator's.
 */
export async function startRedis(binary: ServerBinary, folder: string, options: RedisOptions): Promise<RunningServer> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { passwords, tls } = options;
  const aclFile = join(folder, 'users.acl');
  await writeFile(aclFile, renderRedisAcl({ passwords, administratorPassword: passwords.admin }), { mode: 0o600 });
  const scheme = tls ? 'rediss' : 'redis';
  return startServer(
    {
      name: 'redis',
      file: binary.file,
      environment: binary.environment,
      args: () => ['-'],
      input: (port) =>
        [
          'bind 127.0.0.1',
          ...(tls ? renderTls(tls, port) : [`port ${port}`]),
          `dir ${JSON.stringify(folder)}`,
          'appendonly yes',
          'save ""',
          `aclfile ${JSON.stringify(aclFile)}`,
        ].join('\n'),
      readyLine: /Ready to accept connections/,
      stopSignals: ['SIGTERM'],
      url: (port) => `${scheme}://:${passwords.admin}@127.0.0.1:${port}`,
    },
    options,
  );
}

function renderTls({ certFile, keyFile }: TlsFiles, port: number): string[] {
  return ['port 0', `tls-port ${port}`, `tls-cert-file ${certFile}`, `tls-key-file ${keyFile}`, 'tls-auth-clients no'];
}
