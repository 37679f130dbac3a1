import { parseArgs } from 'node:util';
import { buildImages, type ImageTarget, targets } from './build-images.ts';
import { callDemo } from './call-demo.ts';
import { checkContainers, readHealth } from './check-containers.ts';
import { ComposeProject, listServerImages } from './compose-project.ts';
import { findBaseImages, removeStandIns } from './find-base-images.ts';
import { findEngine } from './find-engine.ts';
import { rollServices, waitUntil } from './roll-services.ts';
import { runCommand } from './run-command.ts';

/** The one that the Dockerfile names. */
const nodeImage = 'node:24.21.0-slim';
const toTag = (target: ImageTarget) => `agp-images-test/${target}`;
/** Without these the product does not run; the rest only looks at it. */
const optional = ['grafana', 'prometheus'];

const { keep } = parseArgs({ options: { keep: { type: 'boolean', default: false } } }).values;

function skip(why: string): void {
  console.log(`skipped: ${why}. Nothing was built and nothing was tested.`);
}

async function testProject(project: ComposeProject): Promise<void> {
  await project.run('up', '--detach', '--no-build', ...project.services);
  const withHealth = ['postgres', 'nats', 'redis', 'proxy', 'writer', 'management'];
  for (const service of withHealth)
    for (const container of await project.containers(service))
      await waitUntil(`${service} to be healthy`, async () => (await readHealth(container)) === 'healthy');
  console.log(`docker compose up: ${project.services.join(', ')}; all healthy`);

  console.log(await callDemo(project));
  const wrong = await checkContainers(project);
  if (wrong.length > 0) throw new Error(`containers are not as they should be:\n${wrong.join('\n')}`);
  console.log(
    'every container runs as a user without rights or capabilities, on a root file system that it cannot write',
  );

  const scale = ['proxy', 'writer', 'management'].flatMap((service) => ['--scale', `${service}=2`]);
  await project.run('up', '--detach', '--no-build', '--no-recreate', ...scale, ...project.services);
  console.log(await rollServices(project));
}

async function main(): Promise<void> {
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
    for (const figure of await buildImages(base, toTag)) console.log(figure);
    await using project = await ComposeProject.create({
      compose: engine.compose,
      nodeImage: base,
      servers: images,
      toTag,
    });
    await testProject(project).catch(async (error) => {
      console.error(await project.run('logs', '--no-color', '--tail', '20'));
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

await main();
