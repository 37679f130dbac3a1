import { runCommand } from './run-command.ts';

export const targets = [
  'proxy',
  'writer',
  'management',
  'migrate',
  'maintenance',
  'operator',
  'agp',
  'demo-provider',
] as const;
export type ImageTarget = (typeof targets)[number];

/** No image is larger, in megabytes. */
const largest = 200;

/**
 * Builds an image for each target of the Dockerfile, on `nodeImage`.
 *
 * @param docker a client that builds with BuildKit
 * @returns seconds and megabytes of each; throws if one is too large
 */
export async function buildImages(
  docker: string,
  nodeImage: string,
  toTag: (target: ImageTarget) => string,
): Promise<string[]> {
  const registry = await runCommand(['npm', 'config', 'get', 'registry']);
  const authorities = process.env.NODE_EXTRA_CA_CERTS;
  const secrets = authorities ? ['--secret', `id=extra-ca,src=${authorities}`] : [];
  const figures: string[] = [];
  let isTooLarge = false;
  for (const target of targets) {
    const began = performance.now();
    const args = ['--build-arg', `NODE_IMAGE=${nodeImage}`, '--build-arg', `NPM_REGISTRY=${registry}`];
    await runCommand([docker, 'build', '--target', target, '--tag', toTag(target), ...args, ...secrets, '.'], {
      env: { DOCKER_BUILDKIT: '1' },
    });
    const seconds = Math.round((performance.now() - began) / 1_000);
    const bytes = await runCommand(['docker', 'image', 'inspect', '--format', '{{.Size}}', toTag(target)]);
    const megabytes = Math.round(Number(bytes) / 1e6);
    figures.push(`${target}: built in ${seconds} s, ${megabytes} MB`);
    isTooLarge ||= megabytes > largest;
  }
  if (isTooLarge) throw new Error(`an image has more than ${largest} MB:\n${figures.join('\n')}`);
  return figures;
}
