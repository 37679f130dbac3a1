import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Unpacks a Debian or Ubuntu package, with what it needs and the system lacks, into a folder of our own. Nothing is
 * installed: no service starts, no root is needed, and removing the folder undoes it. Several may do it at once: each
 * works in a folder of its own, and the first to finish gives it its name.
 *
 * @param toolsFolder holds the unpacked packages
 * @returns the folder, in which the usual paths (`usr/bin`, ...) start
 * @throws the error of apt-get or dpkg, with its output in the message
 */
export async function installDebianPackage(name: string, toolsFolder: string): Promise<string> {
  const target = join(toolsFolder, `${name}-${process.arch}`);
  await mkdir(toolsFolder, { recursive: true });
  const work = await mkdtemp(join(toolsFolder, `${name}.partial-`));
  try {
    const apt = await prepareApt(name, work);
    const { stdout } = await apt(['install', '--simulate', '--no-install-recommends', name]);
    const needed = [...stdout.matchAll(/^Inst (\S+)/gm)].map((match) => match[1] as string);
    await apt(['download', ...needed]);
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

type Apt = (args: string[]) => Promise<{ stdout: string }>;

/** An apt-get that can find the package: with the system's lists, else with fresh ones of our own. */
async function prepareApt(name: string, work: string): Promise<Apt> {
  const caches = ['Dir::Cache::pkgcache=', 'Dir::Cache::srcpkgcache=', `Dir::Cache::archives=${work}`];
  const common = [...caches, ...(process.getuid?.() === 0 ? ['APT::Sandbox::User=root'] : [])];
  const withOptions =
    (options: string[]): Apt =>
    (args) =>
      run('apt-get', [...options.flatMap((option) => ['-o', option]), ...args], {
        cwd: work,
        env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
        maxBuffer: 64 * 1024 * 1024,
      });
  const system = withOptions(common);
  try {
    // Lists may be missing, or name files that the mirror has replaced since.
    await system(['download', name]);
    return system;
  } catch {
    const lists = join(work, 'lists');
    await mkdir(join(lists, 'partial'), { recursive: true });
    await mkdir(join(work, 'partial'));
    const own = withOptions([...common, `Dir::State::Lists=${lists}`]);
    await own(['update']);
    return own;
  }
}
