import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openGuard, readLocalStackConfig } from '@agp/local-stack';
import { findServer } from '@agp/local-stack/servers';
import { makeNatsPasswords } from '@agp/operator';
import { startNatsCluster } from '../../../packages/testing/src/clusters/start-nats-cluster.ts';

/** Starts three NATS servers that are one cluster. Their data is thrown away at the end. @returns their URL */
export async function startCluster(): Promise<{ url: string } & AsyncDisposable> {
  const guard = openGuard();
  try {
    const folder = await mkdtemp(join(tmpdir(), 'agp-bench-'));
    guard.removeFolder(folder);
    const binary = await findServer(
      'nats',
      readLocalStackConfig(process.env, (line) => console.log(line)),
    );
    const cluster = await startNatsCluster(binary, folder, { guard, passwords: makeNatsPasswords() });
    return {
      url: cluster.url,
      [Symbol.asyncDispose]: async () => {
        await cluster[Symbol.asyncDispose]();
        await guard.stop();
      },
    };
  } catch (error) {
    await guard.stop();
    throw error;
  }
}
