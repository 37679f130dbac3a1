import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import manifest from '../../package.json' with { type: 'json' };
import type { Program } from '../system/start-processes.ts';
import type { ServiceName } from '../system/start-system.ts';
import { workspaceFolder } from '../workspace/run-tool.ts';

const run = promisify(execFile);

/** The release before this one, whose services run beside these while an installation is upgraded. */
export const before = { version: '0.3.0', commit: 'b801ee8208fe2ea1470112772ed9675e1716cf6c' };

/** A release's sources with what they need in production, as its images hold them. */
export interface Release {
  folder: string;
  programOf(name: ServiceName): Program;
  /** Runs one of its commands of operators on the database of this URL. Rejects if it fails. */
  operate(command: string, databaseUrl: string): Promise<void>;
}

const toRelease = (folder: string): Release => ({
  folder,
  programOf: (name) => ({ args: [join(folder, `services/${name}/src/main.ts`)], folder }),
  async operate(command, databaseUrl) {
    const file = join(folder, `packages/operator/src/commands/${command}.ts`);
    await run(process.execPath, [file], { cwd: folder, env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl } });
  },
});

/** This workspace. */
export const thisRelease = toRelease(workspaceFolder);

/**
 * Lays the sources of the release before this one into a folder.
 *
 * @throws if the clone has not its commit, as a shallow one has not
 */
export async function unpackReleaseBefore(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const command = `git archive ${before.commit} | tar --extract --directory "${folder}"`;
  await run('sh', ['-c', command], { cwd: workspaceFolder });
  // Of a commit that is not there tar gets nothing, and ends well.
  if (!existsSync(join(folder, 'package.json')))
    throw new Error(`this clone has not the commit ${before.commit} of ${before.version}: git fetch --unshallow`);
}

/** Lays the release before this one, with what it needs, into `.data/releases`, once. */
export async function openReleaseBefore(): Promise<Release> {
  const folder = join(workspaceFolder, '.data/releases', before.version);
  if (existsSync(folder)) return toRelease(folder);
  const making = `${folder}.${process.pid}`;
  try {
    await unpackReleaseBefore(making);
    const filters = ['proxy', 'writer', 'management', 'operator'].flatMap((name) => [
      '--filter-prod',
      `@agp/${name}...`,
    ]);
    const options = ['--frozen-lockfile', '--prod', '--no-optional', '--ignore-scripts', ...filters];
    const env = { ...process.env, PNPM_CONFIG_TRUST_LOCKFILE: 'true' };
    await run('npx', ['-y', manifest.packageManager, 'install', ...options], { cwd: making, env });
    renameSync(making, folder);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
  return toRelease(folder);
}
