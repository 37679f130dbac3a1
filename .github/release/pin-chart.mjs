// Copies the chart of this workspace, for a release: its images are that registry's, by digest.
//   node pin-chart.mjs REGISTRY DIGESTS_FILE FOLDER
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [, , registry, digestsFile, folder] = process.argv;
cpSync(fileURLToPath(new URL('../../k8s/chart', import.meta.url)), folder, { recursive: true });

const deployed = ['proxy', 'writer', 'management', 'migrate', 'maintenance'];
const lines = readFileSync(digestsFile, 'utf8').trim().split('\n');
const digests = deployed.map((image) => {
  const digest = lines.find((line) => line.startsWith(`${registry}/${image}@`))?.split('@')[1];
  if (digest === undefined) throw new Error(`${digestsFile} has no digest of ${image}`);
  return `    ${image}: ${digest}`;
});

const file = join(folder, 'values.yaml');
const values = readFileSync(file, 'utf8');
const pinned = values
  .replace('\n  repository: ""\n', `\n  repository: ${registry}\n`)
  .replace('\n  digests: {}\n', `\n  digests:\n${digests.join('\n')}\n`);
if (pinned.split('sha256:').length <= digests.length) throw new Error(`${file} has no place for digests`);
writeFileSync(file, pinned);

const example = join(folder, 'example-values.yaml');
writeFileSync(example, readFileSync(example, 'utf8').replace(/repository: ".*"/, `repository: ${registry}`));
