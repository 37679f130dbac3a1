import { mkdir } from 'node:fs/promises';
import type { ServerBinary } from '../binaries/server-binary.ts';
import { type Server, type ServerOptions, startServer } from './server.ts';

/**
 * Starts Redis (or Valkey), its append-only file under `folder`. It asks for a password, since whoever can write to a
 * Redis can often make it write files.
 */
export async function startRedis(
  binary: ServerBinary,
  folder: string,
  password: string,
  options: ServerOptions,
): Promise<Server> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return startServer(
    {
      name: 'redis',
      file: binary.file,
      environment: binary.environment,
      // The configuration comes on standard input: arguments are for everyone to read.
      args: () => ['-'],
      input: (port) =>
        [
          'bind 127.0.0.1',
          `port ${port}`,
          `dir ${JSON.stringify(folder)}`,
          `requirepass ${password}`,
          'appendonly yes',
          'save ""',
        ].join('\n'),
      readyLine: /Ready to accept connections/,
      stopSignals: ['SIGTERM'],
      quickStopSignals: [],
      url: (port) => `redis://:${password}@127.0.0.1:${port}`,
    },
    options,
  );
}
