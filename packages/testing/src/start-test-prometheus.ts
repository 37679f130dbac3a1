import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readLocalStackConfig } from '@agp/local-stack';
import type { ServerBinary } from '@agp/local-stack/servers';
import { findServer, startServer } from '@agp/local-stack/servers';
import { inject } from 'vitest';
import { openTestGuard } from './open-test-guard.ts';

const readConfig = () => readLocalStackConfig(process.env, (line) => console.log(`test servers: ${line}`));

/**
 * Finds promtool, which checks and tests Prometheus' rules.
 *
 * @throws MissingServerError if it is not on the machine and cannot be fetched
 */
export function findPromtool(): Promise<ServerBinary> {
  return findServer('promtool', readConfig());
}

/**
 * A Prometheus of a test's own, with throw-away data.
 *
 * @param files its configuration `prometheus.yml` and the files that it names, by file name
 * @throws MissingServerError if it is not on the machine and cannot be fetched
 */
export async function startTestPrometheus(files: Record<string, string>): Promise<{ url: string } & AsyncDisposable> {
  const binary = await findServer('prometheus', readConfig());
  const folder = join(inject('agpTestServers').folder, randomUUID());
  const guard = openTestGuard();
  try {
    guard.removeFolder(folder);
    await mkdir(folder, { recursive: true });
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const { url } = await startServer(
      {
        name: 'prometheus',
        file: binary.file,
        environment: binary.environment,
        args: (port) => [
          `--config.file=${join(folder, 'prometheus.yml')}`,
          `--storage.tsdb.path=${join(folder, 'data')}`,
          `--web.listen-address=127.0.0.1:${port}`,
        ],
        readyLine: /Server is ready to receive web requests/,
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
