import { globSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { LocalStackConfig } from '../local-stack-config.ts';
import { installDebianPackage } from './install-debian-package.ts';
import { writeInstallHint } from './install-hint.ts';
import { findExecutables, isExecutable, MissingServerError, readVersion, type ServerBinary } from './server-binary.ts';

const servers = {
  nats: { programs: ['nats-server'], debianPackage: 'nats-server' },
  redis: { programs: ['redis-server', 'valkey-server'], debianPackage: 'redis-server' },
  // Used by tests only.
  prometheus: { programs: ['prometheus'], debianPackage: 'prometheus' },
  promtool: { programs: ['promtool'], debianPackage: 'prometheus' },
};

/**
 * Finds a server (Valkey will do for Redis) or promtool: on the PATH and in the usual places, else in the distribution's package,
 * which is unpacked under the data folder.
 *
 * @throws MissingServerError that says what to install
 */
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
