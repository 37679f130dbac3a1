import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServerBinary } from '../binaries/server-binary.ts';
import { type Server, type ServerOptions, startServer } from './server.ts';

/**
 * Starts NATS with JetStream, its streams under `folder`. Uses nothing newer than NATS 2.9.
 * Its own idea of what fits on the disk is lifted, or a stream could not be made on a disk that is nearly full.
 */
export async function startNats(binary: ServerBinary, folder: string, options: ServerOptions): Promise<Server> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const configFile = join(folder, 'nats.conf');
  await writeFile(configFile, `jetstream { store_dir: ${JSON.stringify(folder)}, max_file_store: 1TB }\n`);
  return startServer(
    {
      name: 'nats',
      file: binary.file,
      environment: binary.environment,
      args: (port) => ['--config', configFile, '--addr', '127.0.0.1', '--port', String(port)],
      readyLine: /Server is ready/,
      stopSignals: ['SIGTERM'],
      quickStopSignals: [],
      url: (port) => `nats://127.0.0.1:${port}`,
    },
    options,
  );
}
