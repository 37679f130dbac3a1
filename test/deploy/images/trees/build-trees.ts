import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import ignore from '@balena/dockerignore';
import { listFiles } from '../../../workspace/list-files.ts';
import { workspaceFolder } from '../../../workspace/run-tool.ts';
import { type Line, listInherited, readDockerfile, readStages, type Stage } from './read-stages.ts';

const run = promisify(execFile);

/** What an image would hold beside Node, and how it would start. */
export interface ImageTree {
  target: string;
  /** Stands for the image's root folder. */
  root: string;
  /** The working folder of its process, below `root`. */
  workdir: string;
  /** What the process is called with, Node among it. */
  command: string[];
  /** What its `ENV` lines set. */
  environment: Record<string, string>;
}

/** They say where a registry is and how to trust it: this machine has its own. */
const ofThisMachine = new Set([
  'NPM_CONFIG_REGISTRY',
  'PNPM_CONFIG_REGISTRY',
  'NPM_CONFIG_USERCONFIG',
  'NODE_EXTRA_CA_CERTS',
]);
/** Holds Node and what it loads, which are this machine's here. */
const system = 'system';

/**
 * Builds the file trees of images in a folder, by the Dockerfile's own lines and by `.dockerignore`, without an engine. `FROM` begins
 * with nothing where an image is named: programs are this machine's.
 *
 * @throws with what a line printed if it fails
 */
export async function buildTrees(folder: string, targets: readonly string[]): Promise<Map<string, ImageTree>> {
  const builder = new Builder(folder, readStages(readDockerfile()));
  builder.copyContext();
  const trees = new Map<string, ImageTree>();
  // One after the other: each install takes all cores already.
  for (const target of targets) trees.set(target, await builder.build(target));
  return trees;
}

class Builder {
  readonly #folder: string;
  readonly #stages: ReadonlyMap<string, Stage>;
  readonly #built = new Set<string>();

  constructor(folder: string, stages: ReadonlyMap<string, Stage>) {
    this.#folder = folder;
    this.#stages = stages;
  }

  get #context(): string {
    return join(this.#folder, 'context');
  }

  /** What an engine would be sent. */
  copyContext(): void {
    const filter = ignore.default().add(readFileSync(join(workspaceFolder, '.dockerignore'), 'utf8'));
    for (const path of filter.filter(listFiles())) {
      const target = join(this.#context, path);
      mkdirSync(dirname(target), { recursive: true });
      copyFileSync(join(workspaceFolder, path), target);
    }
  }

  async build(target: string): Promise<ImageTree> {
    const root = await this.#buildStage(target);
    const lines = listInherited(this.#stages, target);
    const last = (instruction: string) => lines.find((line) => line.instruction === instruction)?.text;
    const words = (text = '[]') => JSON.parse(text) as string[];
    return {
      target,
      root,
      workdir: last('WORKDIR') ?? '/',
      command: [...words(last('ENTRYPOINT')), ...words(last('CMD'))],
      environment: readEnvironment(lines),
    };
  }

  /** @returns the folder that stands for its root */
  async #buildStage(name: string): Promise<string> {
    const root = join(this.#folder, 'stages', name);
    const stage = this.#stages.get(name);
    if (stage === undefined) throw new Error(`the Dockerfile has no stage ${name}`);
    if (this.#built.has(name)) return root;
    this.#built.add(name);
    mkdirSync(root, { recursive: true });
    if (this.#stages.has(stage.from)) await link(`${await this.#buildStage(stage.from)}/.`, root);
    const inherited = listInherited(this.#stages, stage.from);
    const before = inherited.find(({ instruction }) => instruction === 'WORKDIR')?.text ?? '/';
    let workdir = before;
    for (const line of stage.lines) {
      if (line.instruction === 'WORKDIR') workdir = line.text;
      const here = join(root, workdir);
      mkdirSync(here, { recursive: true });
      if (line.instruction === 'COPY') await this.#copy(line, here);
      if (line.instruction === 'RUN') await runLine(line, here, readEnvironment([...inherited, ...stage.lines]));
    }
    return root;
  }

  async #copy({ text, flags }: Line, here: string): Promise<void> {
    const from = flags.find((flag) => flag.startsWith('--from='))?.slice('--from='.length);
    if (from === system) return;
    const root = from === undefined ? this.#context : await this.#buildStage(from);
    const paths = text.split(/\s+/);
    const target = join(here, paths.pop() ?? '');
    for (const path of paths) {
      const source = join(root, path);
      if (!existsSync(source)) throw new Error(`COPY ${text}: ${path} is not there`);
      const isFolder = statSync(source).isDirectory();
      mkdirSync(isFolder || paths.length > 1 || /(?:\/|\/\.)$/.test(`/${text}`) ? target : dirname(target), {
        recursive: true,
      });
      await link(isFolder ? `${source}/.` : source, isFolder ? target : toFile(target, source));
    }
  }
}

const toFile = (target: string, source: string) =>
  existsSync(target) && statSync(target).isDirectory() ? join(target, basename(source)) : target;

/** Copies as hard links: an installed tree has 100 MB. What is there already is replaced, never written to. */
const link = (source: string, target: string) => run('cp', ['-a', '-l', '--remove-destination', source, target]);

function readEnvironment(lines: readonly Line[]): Record<string, string> {
  const entries = lines
    .filter(({ instruction }) => instruction === 'ENV')
    .toReversed()
    .flatMap(({ text }) => text.split(/\s+/).map((each) => each.split('=', 2) as [string, string]));
  return Object.fromEntries(entries.filter(([name]) => !ofThisMachine.has(name) && name !== 'PATH'));
}

async function runLine({ text }: Line, folder: string, environment: Record<string, string>): Promise<void> {
  const path = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`;
  try {
    await run('sh', ['-c', text], {
      cwd: folder,
      env: { ...process.env, ...environment, PATH: path },
      maxBuffer: 64 * 1024 * 1024,
    });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`RUN ${text} failed:\n${`${stdout}\n${stderr}`.slice(-3_000)}`, { cause: error });
  }
}
