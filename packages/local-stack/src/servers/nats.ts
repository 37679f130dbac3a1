import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renderNatsConfig } from '@agp/bus/permissions';
import type { NatsPasswords } from '@agp/operator';
import type { ServerBinary } from './find-server.ts';
import { type RunningServer, type ServerOptions, startServer, type TlsFiles } from './server.ts';

const administrator = 'admin';

interface NatsOptions extends ServerOptions {
  passwords: NatsPasswords;
  /** With it, NATS speaks nothing but TLS. */
  tls?: TlsFiles | undefined;
}

/** Starts NATS (2.9 or later) with JetStream, its streams under `folder`; the url is an administrator's. */
export async function startNats(binary: ServerBinary, folder: string, options: NatsOptions): Promise<RunningServer> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const configFile = join(folder, 'nats.conf');
  const { passwords, tls } = options;
  const config = renderNatsConfig({
    passwords,
    administrator: { user: administrator, password: passwords.admin },
    storeFolder: folder,
    // With NATS' own limit no stream could be made on a disk that is nearly full.
    jetstream: { max_file_store: '1TB' },
    ...(tls ? { tls } : {}),
  });
  await writeFile(configFile, config, { mode: 0o600 });
  const scheme = tls ? 'tls' : 'nats';
  return startServer(
    {
      name: 'nats',
      file: binary.file,
      environment: binary.environment,
      args: (port) => ['--config', configFile, '--addr', '127.0.0.1', '--port', String(port)],
      readyLine: /Server is ready/,
      stopSignals: ['SIGTERM'],
      url: (port) => `${scheme}://${administrator}:${passwords.admin}@127.0.0.1:${port}`,
    },
    options,
  );
}
