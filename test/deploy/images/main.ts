import { parseArgs } from 'node:util';
import { buildImages, type ImageTarget, targets } from './build-images.ts';
import { callDemo } from './checks/call-demo.ts';
import { checkBalancer } from './checks/check-balancer.ts';
import { checkConsole } from './checks/check-console.ts';
import { checkContainers, readHealth } from './checks/check-containers.ts';
import { checkKills } from './checks/check-kills.ts';
import { checkUpgrade } from './checks/check-upgrade.ts';
import { waitUntil } from './checks/wait-until.ts';
import { describeStarvation, watchStarvation } from './checks/watch-starvation.ts';
import { ComposeProject, listServerImages } from './compose-project.ts';
import { findBaseImages, removeStandIns } from './find-base-images.ts';
import { findEngine } from './find-engine.ts';
import { runCommand } from './run-command.ts';

/** The one that the Dockerfile names. */
const nodeImage = 'node:24.21.0-slim';
const toTag = (target: ImageTarget) => `agp-images-test/${target}`;
/** Without these the product does not run; the rest only looks at it. */
const optional = ['grafana', 'prometheus'];

const usage = `usage: npm run test:images [-- --keep]

Builds every image and runs docker-compose.yml as a project of its own, on ports that are free: the README's first call, what containers
may do, what the balancer passes on, killed writers, and an upgrade. Takes 10 to 15 minutes on two cores.
Images that cannot be pulled are stood in with Debian's packages, which needs root and debootstrap.

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
  console.log(await checkUpgrade(project));
}

interface Options {
  keep: boolean;
  help: boolean;
}

/** @returns null after it has said what is wrong with the arguments */
function readOptions(): Options | null {
  const boolean = { type: 'boolean', default: false } as const;
  try {
    return parseArgs({ options: { keep: boolean, help: { ...boolean, short: 'h' } } }).values;
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
  const { keep, help } = options;
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
    for (const figure of await buildImages(engine.docker, base, toTag)) console.log(figure);
    await using project = await ComposeProject.create({
      compose: engine.compose,
      nodeImage: base,
      servers: images,
      toTag,
    });
    const stopWatching = watchStarvation();
    await testProject(project).catch(async (error) => {
      console.error(await project.run('logs', '--no-color', '--tail', '20'));
      console.error((error as Error).stack);
      console.error(`While it ran, ${describeStarvation(stopWatching())}.`);
      throw error;
    });
  } finally {
    if (!keep) {
      await runCommand(['docker', 'rmi', '--force', ...targets.map(toTag)]);
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
