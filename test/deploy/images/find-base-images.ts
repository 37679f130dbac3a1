import { cpSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { runCommand } from './run-command.ts';

/** Images of others are stood in with Debian's packages under this name, so that no image here pretends to be theirs. */
const prefix = 'agp-stand-in';
const debian = `${prefix}/debian:bookworm`;
const recipes = join(import.meta.dirname, 'stand-ins');
/** The name of an image, without who publishes it, and the recipe for it. Grafana is in no Debian. */
const standIns = new Set(['node', 'postgres', 'nats', 'redis', 'haproxy', 'prometheus']);

export interface BaseImages {
  /** What to run in place of each image; the image itself where it could be had. */
  images: Map<string, string>;
  /** Those that neither could be pulled nor have a recipe. */
  missing: string[];
}

/** Finds each image here, pulls it, or builds a stand-in for it out of Debian's packages, which needs root and debootstrap. */
export async function findBaseImages(wanted: readonly string[]): Promise<BaseImages> {
  const images = new Map<string, string>();
  const missing: string[] = [];
  for (const image of wanted) {
    if (await isHere(image)) images.set(image, image);
    else {
      const [name = '', tag = ''] = basename(image).split(/[:@]/);
      const standIn = `${prefix}/${name}:${tag}`;
      if (standIns.has(name) && (await canStandIn())) {
        if (!(await has(standIn))) await buildStandIn(name, standIn);
        images.set(image, standIn);
      } else missing.push(image);
    }
  }
  return { images, missing };
}

const succeeds = (command: readonly [string, ...string[]], timeoutMs: number) =>
  runCommand(command, { timeoutMs }).then(
    () => true,
    () => false,
  );

const has = (image: string) => succeeds(['docker', 'image', 'inspect', image], 30_000);

const isHere = async (image: string) =>
  (await has(image)) || (await succeeds(['docker', 'pull', '--quiet', image], 10 * 60_000));

const canStandIn = async () => process.getuid?.() === 0 && (await succeeds(['debootstrap', '--version'], 30_000));

async function importDebian(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'agp-debian-'));
  try {
    await runCommand(['debootstrap', '--variant=minbase', 'bookworm', join(folder, 'root')]);
    await runCommand(['tar', '--create', '--directory', join(folder, 'root'), '--file', join(folder, 'root.tar'), '.']);
    const path = 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
    await runCommand(['docker', 'import', '--change', path, join(folder, 'root.tar'), debian]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function buildStandIn(name: string, tag: string): Promise<void> {
  if (!(await has(debian))) await importDebian();
  const folder = mkdtempSync(join(tmpdir(), 'agp-stand-in-'));
  try {
    cpSync(join(recipes, name), folder, { recursive: true });
    if (name === 'node') await addNode(folder);
    await runCommand(['docker', 'build', '--build-arg', `DEBIAN=${debian}`, '--tag', tag, folder]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The Node that runs this is the pinned one, out of the npm registry; npm is this machine's. */
async function addNode(folder: string): Promise<void> {
  cpSync(process.execPath, join(folder, 'node'), { dereference: true });
  const program = realpathSync(await runCommand(['sh', '-c', 'command -v npm']));
  cpSync(dirname(dirname(program)), join(folder, 'npm'), { recursive: true, dereference: true });
}

/** Removes the stand-ins that were built. */
export async function removeStandIns(): Promise<void> {
  const tags = await runCommand(['docker', 'images', '--format', '{{.Repository}}:{{.Tag}}', `${prefix}/*`]);
  if (tags !== '') await runCommand(['docker', 'rmi', '--force', ...tags.split('\n')]);
}
