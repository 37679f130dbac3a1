import { execFile, spawnSync } from 'node:child_process';
import { accessSync, constants, globSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type LocalStackConfig, StartError } from '../local-stack-config.ts';
import type { Account } from './server.ts';

const run = promisify(execFile);

/** Unpacks a Debian package, with missing dependencies, into a folder; of several runs the first to finish wins. */
async function installDebianPackage(name: string, toolsFolder: string): Promise<string> {
  const target = join(toolsFolder, `${name}-${process.arch}`);
  await mkdir(toolsFolder, { recursive: true });
  const work = await mkdtemp(join(toolsFolder, `${name}.partial-`));
  try {
    // The system's lists may be missing, or name files that the mirror has replaced since.
    await download(name, work, false).catch(() => download(name, work, true));
    const root = join(work, 'root');
    await mkdir(root);
    for (const file of await readdir(work))
      if (file.endsWith('.deb')) await run('dpkg-deb', ['--extract', join(work, file), root]);
    await rename(root, target).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error; // another run was first
    });
    return target;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function download(name: string, work: string, withOwnLists: boolean): Promise<void> {
  const [lists, cache] = [join(work, 'lists'), join(work, 'cache')];
  await mkdir(join(lists, 'partial'), { recursive: true });
  await mkdir(join(cache, 'archives/partial'), { recursive: true });
  const options = [
    // Without a cache of our own each call would parse the lists again, which takes longer than the rest.
    `Dir::Cache=${cache}`,
    'Dir::Cache::pkgcache=pkgcache.bin',
    'Dir::Cache::srcpkgcache=srcpkgcache.bin',
    ...(withOwnLists ? [`Dir::State::Lists=${lists}`] : []),
    // As root it would switch to a user that may not reach this folder.
    ...(process.getuid?.() === 0 ? ['APT::Sandbox::User=root'] : []),
  ].flatMap((option) => ['-o', option]);
  const apt = (...args: string[]) =>
    run('apt-get', [...options, ...args], {
      cwd: work,
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
      maxBuffer: 64 * 1024 * 1024,
    });
  if (withOwnLists) await apt('update');
  const { stdout } = await apt('install', '--simulate', '--no-install-recommends', name);
  await apt('download', ...[...stdout.matchAll(/^Inst (\S+)/gm)].map((match) => match[1] as string));
}

export interface ServerBinary {
  file: string;
  environment: Record<string, string>;
}

/** A server was not found and could not be installed. The message says what to do on this platform. */
export class MissingServerError extends StartError {
  override readonly code = 'missing_server';
}

/** Further folders of servers: PATH often lacks the `sbin` ones for ordinary users. */
const usualFolders = [
  '/usr/local/bin',
  '/usr/local/sbin',
  '/usr/bin',
  '/usr/sbin',
  '/opt/homebrew/bin',
  '/home/linuxbrew/.linuxbrew/bin',
  '/snap/bin',
];

export function findExecutables(name: string, searchPath: string): string[] {
  const folders = [...searchPath.split(':').filter((folder) => folder.startsWith('/')), ...usualFolders];
  return [...new Set(folders)].map((folder) => join(folder, name)).filter(isExecutable);
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The output of `<file> --version`; null if it does not run (as that user). */
export function readVersion(binary: ServerBinary, account?: Account): string | null {
  const { status, stdout } = spawnSync(binary.file, ['--version'], {
    cwd: '/',
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin', ...binary.environment },
    ...account,
  });
  return status === 0 ? stdout.trim() : null;
}

/** As compose and the registry's packages have it. */
export const postgresMajor = 18;

const packages = {
  postgres: { brew: `postgresql@${postgresMajor}`, apt: 'postgresql', dnf: 'postgresql-server' },
  nats: { brew: 'nats-server', apt: 'nats-server', dnf: 'nats-server' },
  redis: { brew: 'redis', apt: 'redis-server', dnf: 'redis' },
  prometheus: { brew: 'prometheus', apt: 'prometheus', dnf: 'prometheus' },
  promtool: { brew: 'prometheus', apt: 'prometheus', dnf: 'prometheus' },
  squid: { brew: 'squid', apt: 'squid', dnf: 'squid' },
};

export type ServerName = keyof typeof packages;

export function writeInstallHint(name: ServerName, platform: string = process.platform): string {
  const { brew, apt, dnf } = packages[name];
  const variables: Partial<Record<ServerName, string>> = {
    postgres: 'DATABASE_URL',
    nats: 'NATS_URL',
    redis: 'REDIS_URL',
  };
  const variable = variables[name];
  const otherwise = variable === undefined ? 'and run this again' : `or set ${variable} to a server that you run`;
  if (platform === 'darwin') return `Install it with "brew install ${brew}", ${otherwise}.`;
  if (isExecutable('/usr/bin/apt-get')) return `Install it with "sudo apt-get install ${apt}", ${otherwise}.`;
  // Fedora has no package of the NATS server.
  if (isExecutable('/usr/bin/dnf') && name !== 'nats')
    return `Install it with "sudo dnf install ${dnf}", ${otherwise}.`;
  return `Install ${name === 'nats' ? 'nats-server (https://nats.io/download)' : name}, put it on the PATH, ${otherwise}.`;
}

const servers = {
  nats: { programs: ['nats-server'], debianPackage: 'nats-server' },
  redis: { programs: ['redis-server', 'valkey-server'], debianPackage: 'redis-server' },
  // Used by tests only.
  prometheus: { programs: ['prometheus'], debianPackage: 'prometheus' },
  promtool: { programs: ['promtool'], debianPackage: 'prometheus' },
  squid: { programs: ['squid'], debianPackage: 'squid' },
};

/** Finds a server (Valkey will do for Redis) on the PATH and in the usual places, else unpacks the system's package. */
export async function findServer(name: keyof typeof servers, config: LocalStackConfig): Promise<ServerBinary> {
  const { programs, debianPackage } = servers[name];
  for (const program of programs)
    for (const file of findExecutables(program, config.searchPath)) {
      const binary = { file, environment: {} };
      if (readVersion(binary) !== null) return binary;
    }
  const tools = join(config.dataFolder, 'tools');
  const unpacked = join(tools, `${debianPackage}-${process.arch}`);
  const known = describeUnpacked(unpacked, programs);
  if (known !== null && readVersion(known) !== null) return known;
  if (!isExecutable('/usr/bin/apt-get') || !isExecutable('/usr/bin/dpkg-deb'))
    throw new MissingServerError(`There is no ${programs.join(' or ')} on this machine. ${writeInstallHint(name)}`);
  // It was unpacked for an earlier release of the system.
  if (known !== null) await rm(unpacked, { recursive: true, force: true });
  config.report(`unpacking ${debianPackage} from this system's package archive into ${tools} (once)`);
  try {
    const binary = describeUnpacked(await installDebianPackage(debianPackage, tools), programs);
    if (binary !== null && readVersion(binary) !== null) return binary;
    throw new MissingServerError(`${debianPackage} was unpacked into ${unpacked} but does not run.`);
  } catch (error) {
    const reason = error instanceof Error ? error.message.trim() : String(error);
    throw new MissingServerError(`Could not get ${debianPackage}: ${reason}\n${writeInstallHint(name)}`);
  }
}

function describeUnpacked(root: string, programs: string[]): ServerBinary | null {
  const candidates = programs.flatMap((program) => [join(root, 'usr/bin', program), join(root, 'usr/sbin', program)]);
  const file = candidates.find(isExecutable);
  if (file === undefined) return null;
  const libraries = globSync(['usr/lib/*-linux-gnu*', 'lib/*-linux-gnu*'], { cwd: root });
  return { file, environment: { LD_LIBRARY_PATH: libraries.map((folder) => join(root, folder)).join(':') } };
}
