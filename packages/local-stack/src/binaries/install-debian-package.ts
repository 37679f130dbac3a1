import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Unpacks a Debian or Ubuntu package, with the dependencies that the system lacks, into a folder of our own. Nothing is
 * installed: no service starts, no root is needed, and removing the folder undoes it. Several runs may do it at once: each
 * works in a folder of its own, and the first to finish renames its folder to the target.
 *
 * @param toolsFolder holds the unpacked packages
 * @returns the folder, in which the usual paths (`usr/bin`, ...) start
 * @throws the error of apt-get or dpkg, with its output in the message
 */
export async function installDebianPackage(name: string, toolsFolder: string): Promise<string> {
  const target = join(toolsFolder, `${name}-${process.arch}`);
  await mkdir(toolsFolder, { recursive: true });
  await removeAbandoned(toolsFolder);
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

/** Removes the work folders of runs that were killed: no run takes an hour. */
async function removeAbandoned(toolsFolder: string): Promise<void> {
  for (const name of await readdir(toolsFolder)) {
    const folder = join(toolsFolder, name);
    if (!name.includes('.partial-')) continue;
    const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > 3_600_000) await rm(folder, { recursive: true, force: true });
  }
}

/** Downloads the `.deb` files of a package and of its missing dependencies into `work`. */
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
