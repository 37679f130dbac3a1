import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseJson } from '@agp/core/json';
import { outsideFolder } from '../servers/postgres-folder.ts';
import type { Account } from '../servers/server.ts';
import type { PostgresBinaries } from './find-postgres.ts';
import { readVersion } from './server-binary.ts';

/**
 * Returns binaries that the account can run. The registry package lies in the checkout; if that is closed to the account, the package
 * is copied to a place that is open, once for each version.
 */
export async function makePostgresReachable(
  binaries: PostgresBinaries,
  account: Account | undefined,
): Promise<PostgresBinaries> {
  if (!binaries.embedded || account === undefined) return binaries;
  if (readVersion({ file: binaries.postgres, environment: {} }, account) !== null) return binaries;
  const native = dirname(dirname(binaries.postgres));
  const manifest = parseJson(readFileSync(join(native, '../package.json'))) as { version: string };
  const copy = join(outsideFolder, 'bin', `postgres-${manifest.version}-${process.arch}`);
  const copied = { ...binaries, postgres: join(copy, 'bin/postgres'), initdb: join(copy, 'bin/initdb') };
  if (readVersion({ file: copied.postgres, environment: {} }, account) !== null) return copied;
  await mkdir(dirname(copy), { recursive: true, mode: 0o755 });
  const partial = await mkdtemp(`${copy}.partial-`);
  await cp(native, partial, { recursive: true, verbatimSymlinks: true });
  spawnSync('chmod', ['-R', 'a+rX', partial]);
  await rename(partial, copy).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    await rm(partial, { recursive: true }); // another run was first
  });
  return copied;
}
