import type { ServerBinary } from '../binaries/server-binary.ts';
import { type Server, type ServerOptions, startServer } from './server.ts';

/** Starts NATS with JetStream, its streams under `folder`. Uses nothing newer than NATS 2.9. */
export function startNats(binary: ServerBinary, folder: string, options: ServerOptions): Promise<Server> {
  return startServer(
    {
      name: 'nats',
      file: binary.file,
      environment: binary.environment,
      args: (port) => ['--addr', '127.0.0.1', '--port', String(port), '--jetstream', '--store_dir', folder],
      readyLine: /Server is ready/,
      stopSignals: ['SIGTERM'],
      quickStopSignals: [],
      url: (port) => `nats://127.0.0.1:${port}`,
    },
    options,
  );
}
