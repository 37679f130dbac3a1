import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';
import { runCommand } from './run-command.ts';

export const targets = ['proxy', 'writer', 'management', 'migrate', 'maintenance', 'demo-provider'] as const;
export type ImageTarget = (typeof targets)[number];

/** The certificates of `NODE_EXTRA_CA_CERTS` that Node does not bring itself: who signs for the registry here may be among them. */
function readExtraAuthorities(): string {
  const file = process.env.NODE_EXTRA_CA_CERTS;
  if (!file) return '';
  const known = new Set(rootCertificates.map((pem) => new X509Certificate(pem).fingerprint256));
  const given = readFileSync(file, 'utf8').match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return given.filter((pem) => !known.has(new X509Certificate(pem).fingerprint256)).join('\n');
}

/** No image is larger, in megabytes. */
const largest = 200;

/** Builds an image for each target of the Dockerfile, on `nodeImage`. @returns seconds and megabytes of each; throws if one is too large */
export async function buildImages(nodeImage: string, toTag: (target: ImageTarget) => string): Promise<string[]> {
  const registry = await runCommand(['npm', 'config', 'get', 'registry']);
  const extra = readExtraAuthorities();
  const figures: string[] = [];
  let isTooLarge = false;
  for (const target of targets) {
    const began = performance.now();
    await runCommand([
      'docker',
      'build',
      ...['--target', target, '--tag', toTag(target), '--build-arg', `NODE_IMAGE=${nodeImage}`],
      ...['--build-arg', `NPM_REGISTRY=${registry}`, '--build-arg', `EXTRA_CA=${extra}`, '.'],
    ]);
    const seconds = Math.round((performance.now() - began) / 1_000);
    const bytes = await runCommand(['docker', 'image', 'inspect', '--format', '{{.Size}}', toTag(target)]);
    const megabytes = Math.round(Number(bytes) / 1e6);
    figures.push(`${target}: built in ${seconds} s, ${megabytes} MB`);
    isTooLarge ||= megabytes > largest;
  }
  if (isTooLarge) throw new Error(`an image has more than ${largest} MB:\n${figures.join('\n')}`);
  return figures;
}
