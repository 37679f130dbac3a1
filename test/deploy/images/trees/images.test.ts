import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { databaseUsers, makePassword } from '@agp/operator';
import { startBlankPostgres } from '@agp/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inBrowser } from '../../../console/support/in-browser.ts';
import { openConsole } from '../../../console/support/open-console.ts';
import { type Program, startProcesses } from '../../../system/start-processes.ts';
import { workspaceFolder } from '../../../workspace/run-tool.ts';
import { targets } from '../build-images.ts';
import { buildTrees, type ImageTree } from './build-trees.ts';
import { findMissing } from './find-missing.ts';

const folder = mkdtempSync(join(tmpdir(), 'agp-trees-'));
let trees: Map<string, ImageTree>;

function treeOf(target: string): ImageTree {
  const tree = trees.get(target);
  if (tree === undefined) throw new Error(`no tree of ${target}`);
  return tree;
}

/** What runs in an image is Node; here it is the one that runs the tests. */
function toProgram({ root, workdir, command, environment }: ImageTree): Program {
  const args = command.slice(1).map((word) => (word.startsWith('/app/') ? join(root, word) : word));
  return { args, folder: join(root, workdir), environment };
}

/** Starts what an image runs, with these variables and no others. */
function start({ args, folder, environment }: Program, variables: Record<string, string>) {
  const env = { ...environment, ...variables };
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text) => (printed += text));
  return { child, ended: once(child, 'close').then(([code]) => ({ code, printed })) };
}

const runToEnd = (program: Program, variables: Record<string, string>) => start(program, variables).ended;

beforeAll(async () => {
  trees = await buildTrees(folder, targets);
});
afterAll(() => rmSync(folder, { recursive: true }));

test('every file that the sources and pages in an image name is in it', () => {
  expect([...trees.values()].flatMap(findMissing)).toEqual([]);
});

test.each([
  ['a package', 'proxy', 'packages/budgets', /^the image proxy lacks @agp\/budgets, which .+ names$/m],
  [
    'a migration',
    'migrate',
    'packages/db/src/migrations/0009-labels.ts',
    /^the image migrate lacks packages\/db\/src\/migrations\/0009-labels\.ts, which packages\/db\/src\/migrations\/index\.ts names$/m,
  ],
  [
    'an asset',
    'management',
    'packages/console/dist/favicon.svg',
    /^the image management lacks packages\/console\/dist\/favicon\.svg, which packages\/console\/dist\/index\.html names$/m,
  ],
])('%s that an image lacks is named in a sentence', (_, target, path, sentence) => {
  const place = join(treeOf(target).root, 'app', path);
  renameSync(place, join(folder, 'taken'));
  try {
    expect(findMissing(treeOf(target)).join('\n')).toMatch(sentence);
  } finally {
    renameSync(join(folder, 'taken'), place);
  }
});

test('an empty Postgres gets roles, schema and partitions by what the images hold', async () => {
  await using postgres = await startBlankPostgres();
  const url = Object.assign(new URL(postgres.databaseUrl), { pathname: '/agp' });
  const passwords = Object.fromEntries(databaseUsers.map((user) => [user, makePassword()]));
  const variables = Object.entries(passwords).map(([user, password]) => [
    `AGP_${user.toUpperCase()}_PASSWORD`,
    password,
  ]);
  const migrate = toProgram(treeOf('migrate'));
  const createRoles = { ...migrate, args: ['packages/operator/src/commands/create-roles.ts'] };
  expect(await runToEnd(createRoles, { DATABASE_URL: url.href, ...Object.fromEntries(variables) })).toMatchObject({
    code: 0,
  });
  Object.assign(url, { username: 'agp_migrator', password: passwords.migrator });
  const DATABASE_URL = url.href;
  expect(await runToEnd(migrate, { DATABASE_URL })).toEqual({ code: 0, printed: expect.stringContaining('0001') });
  expect(await runToEnd(toProgram(treeOf('maintenance')), { DATABASE_URL })).toMatchObject({ code: 0 });
});

test('operators make secrets and roles by an image, in a folder of their own', async () => {
  const operator = toProgram(treeOf('operator'));
  const own = mkdtempSync(join(folder, 'own-'));
  const run = (...args: string[]) =>
    runToEnd({ ...operator, folder: own, args: [...operator.args.slice(0, 1), ...args] }, {});
  const { code, printed } = await run('secrets', '--kubernetes', '--folder', 'made');
  expect([code, printed]).toEqual([0, expect.stringContaining('"kind": "Secret"')]);
  expect(readdirSync(join(own, 'made'))).toContain('proxy');
  const help = await run('create-roles', '--help');
  expect(help).toEqual({ code: 0, printed: expect.stringContaining('usage: operator create-roles\n') });
  copyFileSync(join(workspaceFolder, 'k8s/chart/example-values.yaml'), join(own, 'mine.yaml'));
  expect(await run('check-deploy', 'mine.yaml')).toEqual({ code: 1, printed: expect.stringContaining('example') });
  expect(await run('make-tea')).toEqual({ code: 2, printed: expect.stringContaining('no command is called make-tea') });
});

inBrowser('what the images hold', () => {
  test('serves a request, records its event, lists it, and shows it in the console', async () => {
    const demo = start(toProgram(treeOf('demo-provider')), { HOST: '127.0.0.1', PORT: '0' });
    try {
      const [{ url }] = (await once(demo.child, 'message')) as [{ url: string }];
      const environment = { PROVIDER_DEMO_URL: `${url}/openai` };
      await using console = await openConsole({ environment }, (options) =>
        startProcesses({ ...options, programOf: (name) => toProgram(treeOf(name)) }),
      );
      const { system } = console;
      const answer = await fetch(`${system.proxies[0]?.url}/demo/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-agent-name': 'in-an-image' },
        body: JSON.stringify({ model: 'gpt-5-mini', messages: [{ role: 'user', content: 'Hello' }] }),
      });
      expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({ model: 'gpt-5-mini' })]);
      const id = answer.headers.get('x-event-id') ?? '';
      await expect.poll(() => system.api<{ id: string }[]>('/api/v1/events')).toMatchObject([{ id }]);
      const agp = toProgram(treeOf('agp'));
      const variables = { AGP_URL: system.management.url, AGP_API_KEY: system.apiKey };
      const listed = await runToEnd({ ...agp, args: [...agp.args, 'events', 'list'] }, variables);
      expect(listed).toEqual({ code: 0, printed: expect.stringContaining('in-an-image') });
      const { page, faults } = await console.open('/events');
      await page.getByText('in-an-image').first().waitFor();
      expect(faults).toEqual([]);
    } finally {
      demo.child.kill('SIGTERM');
      await demo.ended;
    }
  });
});
