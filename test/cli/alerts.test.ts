import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { uuidOf } from '@agp/core/ids';
import { insertAlert, insertDelivery } from '@agp/testing/events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../system/start-system.ts';
import { startCli } from './run-cli.ts';
import { useCliSystem } from './start-cli-system.ts';
import { startRelay } from './start-relay.ts';

const { system, agp, done, refused, readJson } = useCliSystem();

let folder: string;
const write = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

beforeAll(async () => {
  // Nobody looks then, and no alert without a cause ends.
  await system().database.pool.query('DELETE FROM alert_watch');
  folder = mkdtempSync(join(tmpdir(), 'agp-alerts-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const insert = (parts?: Parameters<typeof insertAlert>[1]) => insertAlert(system().database.pool, parts);
const resolve = async (id: string) => {
  const times = 'resolved_at = clock_timestamp(), changed_at = clock_timestamp()';
  await system().database.pool.query(`UPDATE alerts SET ${times} WHERE id = $1`, [uuidOf('alr', id)]);
};
const rule = 'new-providers-and-servers';
const readStates = async (args: string) =>
  (await readJson(`alerts ${args} --rule ${rule}`)).map(({ title, state }: Record<string, string>) => [title, state]);

test('rules go from files to storage and back, and say what a message reads like', async () => {
  const text = 'name: sales-fails\non: failing # as they asked\nmatch: { labels: { team: [sales] } }\n';
  const file = write('rule.yaml', text);
  const dry = await done(`alerts rules apply -f ${file} --dry-run`);
  expect(dry).toMatch(
    /^rule sales-fails created \(dry run\)\n {2}0 alerts would be open now, 0 messages would be sent\n {2}a message reads: agent /,
  );
  expect(await done(`alerts rules apply -f ${file}`)).toBe(dry.replace(' (dry run)', ''));
  expect(await done(`alerts rules apply -f ${file}`)).toBe('rule sales-fails unchanged\n');
  expect(await done('alerts rules')).toMatch(/^sales-fails +failing +critical +team sales +by severity +0 /m);
  expect(await done('alerts rules get sales-fails')).toBe(text);
  const silent = ['--until 2h --reason nights', '--end'];
  for (const options of silent) await done(`alerts rules silence sales-fails ${options}`);
  expect(await done('alerts rules get sales-fails')).toBe(text);
  write('rule.yaml', `${text}enabled: false\n`);
  expect(await agp(`alerts rules diff -f ${file}`)).toMatchObject({ code: 1, stdout: /\n\+enabled: false$/m });
  expect(await done(`alerts rules apply -f ${file}`)).toMatch(/^rule sales-fails configured, enabled true -> false\n/);
  write('rule.yaml', 'name: sales-fails\non: failing\ntargets: [nobody-made-it]\n');
  await refused(`alerts rules apply -f ${file}`, 1, /^rule sales-fails: targets: no target is named nobody-made-it\n$/);
  write('rule.yaml', 'name: sales-fails\non: nothing\n');
  await refused(`alerts rules apply -f ${file}`, 2, /rule\.yaml:2: on: /);
  expect(await done('alerts rules delete sales-fails --reason over')).toBe('rule sales-fails deleted\n');
});

test('a rule is silent of an agent for a time, with a reason, and tells again', async () => {
  const name = 'agents-failing';
  await refused(`alerts rules silence ${name} --until 2h`, 2, /give --until and --reason; or --end/);
  expect(await done(`alerts rules silence ${name} --agent nightly --until 2h --reason migration`)).toMatch(
    /^agents-failing tells nobody of nightly until \d{4}-\S+ \S+: migration\n$/,
  );
  expect(await done('alerts rules')).toMatch(/^agents-failing .* silent of nightly until \d{4}-/m);
  const [entry] = await readJson('audit list --limit 1');
  expect(entry).toMatchObject({ action: 'notification_rule.update', reason: 'migration' });
  expect(await done(`alerts rules silence ${name} --end`)).toBe('agents-failing tells all\n');
});

test('a secret is written from a file, or shown once if it was made, and never again', async () => {
  const made = write('hook.yaml', 'name: hook\nkind: webhook\nurl: https://127.0.0.1:9/\n');
  const chat = write(
    'chat.json',
    JSON.stringify({ name: 'chat', kind: 'slack', url: 'https://127.0.0.1:9/T00/hidden' }),
  );
  const told = await done(`alerts targets apply -f ${folder}/hook.yaml ${folder}/chat.json`);
  const [, secret = ''] = /^target hook created\n {2}secret (whsec_\S+)\n {2}it is shown this once/.exec(told) ?? [];
  expect(secret).not.toBe('');
  expect(told).toMatch(/^target chat created$/m);
  expect(await done(`alerts targets apply -f ${made}`)).toBe('target hook unchanged\n');
  expect(await done(`alerts targets apply -f ${chat}`)).toBe('target chat configured, secrets written anew\n');
  writeFileSync(chat, 'name: chat\nkind: slack\ndescription: of sales\nurl: https://127.0.0.1:9/T00/hidden\n');
  const shown = [
    await done('alerts targets'),
    (await agp(`alerts targets diff -f ${folder}/chat.json`)).stdout,
    await done('alerts targets get chat'),
    JSON.stringify(await readJson('alerts targets list')),
    await done('audit list --json'),
  ];
  expect(shown[0]).toMatch(/^chat +slack +127\.0\.0\.1:9 +0 +0 /m);
  expect(shown[1]).toMatch(/^\+description: of sales$/m);
  for (const text of shown)
    expect(text).not.toMatch(new RegExp(`hidden|${secret.slice(8, 24).replaceAll('+', '\\+')}`));
  await refused('alerts targets test hook', 1, /^hook: not delivered/);
  await refused('alerts targets test none', 1, /^no target is named none; "alerts targets list" shows all targets\n$/);

  const id = await insertDelivery(system().database.pool, {
    target: (await readJson('alerts targets get hook')).id,
    isDead: true,
  });
  expect(await done('alerts deliveries list --state dead')).toMatch(
    / hook +agent nightly fails: .* dead +20 .*HTTP 500/,
  );
  expect(await done(`alerts deliveries resend ${id.slice(0, 26)}`)).toMatch(/ hook .* waiting /);
  await refused(`alerts deliveries resend ${id}`, 1, /^the message was not given up/);
  for (const name of ['hook', 'chat'])
    expect(await done(`alerts targets delete ${name}`)).toBe(`target ${name} deleted\n`);
});

test('alerts are listed while they are open, the worst first, and acknowledged by the beginning of an id', async () => {
  const [{ id: agentId }] = await readJson('agents list');
  const first = await insert({ rule, title: 'first', agentId, openedAt: new Date(Date.now() - 60_000) });
  const second = await insert({ rule, title: 'second', severity: 'warning' });
  expect(await readStates('')).toEqual([
    ['first', 'open'],
    ['second', 'open'],
  ]);
  expect(await readStates('--severity warning')).toEqual([['second', 'open']]);
  expect(await done(`alerts ack ${first.slice(0, -1)} --reason looking`)).toMatch(
    / critical +first +.* acknowledged by bootstrap /,
  );
  await resolve(second);
  expect(await readStates('list')).toEqual([['first', 'acknowledged']]);
  expect(await readStates('--state resolved')).toEqual([['second', 'resolved']]);
  expect(await readStates('--from 1h')).toHaveLength(2);
  expect(await readStates('--agent worker')).toEqual([['first', 'acknowledged']]);
  expect((await done(`alerts list --rule ${rule} --csv`)).split('\r\n')[1]).toMatch(/^alr_.*,first,/);
  await refused('alerts ack alr_00000000000000000000000000', 1, /^alert not found; "alerts" shows/);
  await resolve(first);
});

test('a watch tells each step once, through a cut connection, and none from before', async () => {
  await insert({ rule, title: 'before' });
  const [quiet, gone] = [await insert({ rule, title: 'quiet' }), await insert({ rule, title: 'gone' })];
  await using relay = await startRelay(system().management.url);
  const watch = startCli(['alerts', '--watch', '--rule', rule], { AGP_URL: relay.url, AGP_API_KEY: system().apiKey });
  const steps = () =>
    [...watch.run.stdout.matchAll(/Z {2}(.+?) {2}\w+ {2}(\w+) {2}/g)].map(([, step, title]) => `${title} ${step}`);
  const expectSteps = (...wanted: string[]) =>
    waitFor(`${wanted}`, () => wanted.every((step) => steps().includes(step)));
  try {
    // The stream opens after what is there was read, and each alert from then on is told.
    await waitFor('the stream', async () => {
      await insert({ rule, title: 'probe' });
      return steps().length > 0;
    });
    await done(`alerts ack ${quiet}`);
    await insert({ rule: 'budgets', title: 'other' });
    await expectSteps('quiet acknowledged by bootstrap');
    const attempts = relay.connections;
    relay.cut();
    await resolve(quiet);
    await resolve(gone);
    await resolve(await insert({ rule, title: 'short' }));
    await insert({ rule, title: 'missed' });
    await waitFor('an attempt that fails', () => relay.connections > attempts);
    relay.pointTo(system().management.url);
    await expectSteps('quiet resolved', 'gone resolved', 'short opened, resolved', 'missed opened');
    await insert({ rule, title: 'after' });
    await expectSteps('after opened');
  } finally {
    watch.child.kill('SIGINT');
  }
  const { code, stderr } = await watch.ended;
  expect(code).toBe(0);
  expect(stderr).toMatch(/trying again/);
  const told = steps().filter((step) => step !== 'probe opened');
  expect(told.toSorted()).toEqual([...new Set(told)].toSorted());
  expect(told.join()).not.toMatch(/before|other/);
});
