import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Builder, buildImages, buildImagesBefore, type ImageTarget, targets } from './build-images.ts';
import { callDemo } from './checks/call-demo.ts';
import { checkBalancer } from './checks/check-balancer.ts';
import { checkConsole } from './checks/check-console.ts';
import { checkContainers, readHealth } from './checks/check-containers.ts';
import { checkKills, checkLosses } from './checks/check-kills.ts';
import { checkUpgrade, type InstalledRelease } from './checks/check-upgrade.ts';
import { waitUntil } from './checks/wait-until.ts';
import { describeStarvation, watchStarvation } from './checks/watch-starvation.ts';
import { ComposeProject, listServerImages, type ProjectOptions } from './compose-project.ts';
import { findBaseImages, removeStandIns } from './find-base-images.ts';
import { findEngine } from './find-engine.ts';
import { runCommand } from './run-command.ts';

/** The one that the Dockerfile names. */
const nodeImage = 'node:24.21.0-slim';
const toTag = (target: ImageTarget) => `agp-images-test/${target}`;
const toTagBefore = (target: ImageTarget) => `agp-images-test/before/${target}`;
/** Without these the product does not run; the rest only looks at it. */
const optional = ['grafana', 'prometheus'];

const usage = `usage: npm run test:images [-- --only new|upgrade] [--keep]

Builds every image and runs docker-compose.yml as a project of its own, on ports that are free: the README's first call, what containers
may do, what the balancer passes on, killed writers, then an upgrade from the release before and back. Takes 20 minutes on two cores.
Images that cannot be pulled are stood in with Debian's packages, which needs root and debootstrap.

  --only   one of the two parts
  --keep   leaves the images, for the next run

Exit codes: 0 passed, or skipped without a Docker engine, which the first line says; 1 failed, with REQUIRE_DOCKER=1 also if it was
skipped; 2 wrong usage.`;

function skip(why: string): void {
  console.log(`skipped: ${why}. Nothing was built and nothing was tested.`);
  if (process.env.REQUIRE_DOCKER) process.exitCode = 1;
}

async function testProject(project: ComposeProject): Promise<void> {
  const began = performance.now();
  await project.run('up', '--detach', '--no-build');
  console.log(await callDemo(project, began));
  const withHealth = ['postgres', 'nats', 'redis', 'proxy', 'writer', 'management', 'balancer'];
  for (const service of withHealth)
    for (const container of await project.containers(service))
      await waitUntil(`${service} to be healthy`, async () => (await readHealth(container)) === 'healthy');
  console.log(`docker compose up: ${project.services.join(', ')}; all healthy`);

  const wrong = await checkContainers(project);
  if (wrong.length > 0) throw new Error(`containers are not as they should be:\n${wrong.join('\n')}`);
  console.log(
    'every container runs as a user without rights or capabilities, on a root file system that it cannot write',
  );
  console.log(await checkConsole(project));
  console.log(await checkBalancer(project));
  console.log(await checkKills(project));
  console.log(await checkLosses(project));
}

/** Does some work; if it fails, prints the last lines of each container. */
async function explain(project: ComposeProject, work: () => Promise<void>): Promise<void> {
  const stopWatching = watchStarvation();
  await work().catch(async (error) => {
    console.error(await project.run('logs', '--no-color', '--timestamps', '--tail', '20'));
    console.error((error as Error).stack);
    console.error(`While it ran, ${describeStarvation(stopWatching())}.`);
    throw error;
  });
}

async function testNew(options: Omit<ProjectOptions, 'toTag'>): Promise<void> {
  await using project = await ComposeProject.create({ ...options, toTag });
  await explain(project, () => testProject(project));
}

/** A project of the release before, which an upgrade brings to this one. */
async function testUpgrade(builder: Builder, options: Omit<ProjectOptions, 'toTag'>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'agp-before-'));
  try {
    const composeFile = join(folder, 'docker-compose.yml');
    writeFileSync(composeFile, await buildImagesBefore(builder, toTagBefore));
    const old: InstalledRelease = { composeFile, toTag: toTagBefore };
    await using project = await ComposeProject.create({ ...options, ...old });
    await explain(project, async () => {
      await project.run('up', '--detach', '--no-build');
      await callDemo(project, performance.now());
      console.log(await checkUpgrade(project, old, { toTag }));
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const parts = ['new', 'upgrade'];

interface Options {
  /** One of `parts`; null for all. */
  only: string | null;
  keep: boolean;
  help: boolean;
}

/** @returns null after it has said what is wrong with the arguments */
function readOptions(): Options | null {
  const boolean = { type: 'boolean', default: false } as const;
  try {
    const options = { only: { type: 'string' }, keep: boolean, help: { ...boolean, short: 'h' } } as const;
    const { only = null, ...others } = parseArgs({ options }).values;
    if (only !== null && !parts.includes(only)) throw new Error(`--only must be one of ${parts.join(', ')}`);
    return { only, ...others };
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    return null;
  }
}

async function main(): Promise<void> {
  const options = readOptions();
  if (options === null) {
    process.exitCode = 2;
    return;
  }
  const { only, keep, help } = options;
  if (help) return console.log(usage);
  const engine = await findEngine();
  if ('missing' in engine) return skip(engine.missing);
  const { images, missing } = await findBaseImages([nodeImage, ...new Set(listServerImages())]);
  const needed = missing.filter((image) => !optional.some((name) => image.includes(name)));
  if (needed.length > 0)
    return skip(`${needed.join(', ')} cannot be pulled, and only root on Debian with debootstrap can build a stand-in`);
  for (const [image, used] of images)
    if (image !== used) console.log(`${image}: cannot be pulled; stood in with Debian's package`);
  for (const image of missing) console.log(`${image}: cannot be pulled; left out`);
  const base = images.get(nodeImage) ?? nodeImage;
  try {
    const builder = { docker: engine.docker, nodeImage: base };
    for (const figure of await buildImages(builder, toTag)) console.log(figure);
    const options = { compose: engine.compose, nodeImage: base, servers: images };
    if (only !== 'upgrade') await testNew(options);
    if (only !== 'new') await testUpgrade(builder, options);
  } finally {
    if (!keep) {
      await runCommand(['docker', 'rmi', '--force', ...targets.map(toTag), ...targets.map(toTagBefore)]);
      await removeStandIns();
    }
  }
  console.log('passed');
}

await main().catch((error: Error) => {
  // The last line says why.
  console.error(error.message);
  process.exitCode = 1;
});
