import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unpackReleaseBefore } from '../../prove/release.ts';
import { readExtraAuthorities } from './read-extra-authorities.ts';
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
/** Those that the release before had not. */
const newTargets = new Set<ImageTarget>(['operator', 'agp']);

/** No image is larger, in megabytes. */
const largest = 200;

/** What builds images, and on what. */
export interface Builder {
  /** A client that builds with BuildKit. */
  docker: string;
  nodeImage: string;
}

/** Builds a target of the Dockerfile in `folder`; `args` say how its registry is reached and trusted. */
async function buildImage({ docker, nodeImage }: Builder, target: string, tag: string, args: string[], folder: string) {
  const registry = await runCommand(['npm', 'config', 'get', 'registry']);
  const base = ['--build-arg', `NODE_IMAGE=${nodeImage}`, '--build-arg', `NPM_REGISTRY=${registry}`];
  await runCommand([docker, 'build', '--target', target, '--tag', tag, ...base, ...args, folder], {
    env: { DOCKER_BUILDKIT: '1' },
  });
}

/** Builds an image for each target of the Dockerfile. @returns seconds and megabytes of each; throws if one is too large */
export async function buildImages(builder: Builder, toTag: (target: ImageTarget) => string): Promise<string[]> {
  const authorities = process.env.NODE_EXTRA_CA_CERTS;
  const secrets = authorities ? ['--secret', `id=extra-ca,src=${authorities}`] : [];
  const figures: string[] = [];
  let isTooLarge = false;
  for (const target of targets) {
    const began = performance.now();
    await buildImage(builder, target, toTag(target), secrets, '.');
    const seconds = Math.round((performance.now() - began) / 1_000);
    const bytes = await runCommand(['docker', 'image', 'inspect', '--format', '{{.Size}}', toTag(target)]);
    const megabytes = Math.round(Number(bytes) / 1e6);
    figures.push(`${target}: built in ${seconds} s, ${megabytes} MB`);
    isTooLarge ||= megabytes > largest;
  }
  if (isTooLarge) throw new Error(`an image has more than ${largest} MB:\n${figures.join('\n')}`);
  return figures;
}

/**
 * Builds the images of the release before this one that an installation runs.
 *
 * @returns the text of its compose file
 */
export async function buildImagesBefore(builder: Builder, toTag: (target: ImageTarget) => string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'agp-release-'));
  try {
    await unpackReleaseBefore(folder);
    // It took its authorities as an argument, which cannot be long.
    const args = ['--build-arg', `EXTRA_CA=${readExtraAuthorities()}`];
    for (const target of targets)
      if (!newTargets.has(target)) await buildImage(builder, target, toTag(target), args, folder);
    return readFileSync(join(folder, 'docker-compose.yml'), 'utf8');
  } finally {
    rmSync(folder, { recursive: true });
  }
}
