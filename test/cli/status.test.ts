import { insertAlert } from '@agp/testing/events';
import { expect, onTestFinished, test } from 'vitest';
import { measureText } from '../../packages/cli/src/table.ts';
import { waitFor } from '../system/start-system.ts';
import { startCli } from './run-cli.ts';
import { useCliSystem } from './start-cli-system.ts';
import { startRelay } from './start-relay.ts';

const { system, send, done, refused } = useCliSystem();

test.each([80, 120])('at %i columns everything is seen at a glance, whatever agents are named', async (columns) => {
  await send(`模型${'名'.repeat(60)}${columns}`);
  await done('agents block worker');
  const [isTty, width] = [process.stdout.isTTY, process.stdout.columns];
  Object.assign(process.stdout, { isTTY: true, columns });
  let shown = '';
  try {
    await waitFor('the status', async () => {
      shown = await done('status --no-color');
      return /requests +since [^;]*: [56];/.test(shown);
    });
  } finally {
    Object.assign(process.stdout, { isTTY: isTty, columns: width });
  }
  for (const line of shown.split('\n')) expect([line, measureText(line) <= columns]).toEqual([line, true]);
  expect(shown).toMatch(/^agents +not paused$/m);
  expect(shown).toMatch(/1 blocked: worker$/m);
  expect(shown).toMatch(/^postgres +ready +answers$/m);
  expect(shown).toMatch(/^spent today +[\d.]+ USD; no cap$/m);
  expect(shown).toMatch(/^TOP SPENDERS SINCE 20\d\d-\d\d-\d\d \d\d:00 .*\nworker /m);
  expect(await done('agents list')).toMatch(/^worker +blocked +20\d\d-\S+ \S+ +0\.\d+ /m);
  expect(await done('status --from 7d --no-color')).toMatch(/^TOP SPENDERS .*\nworker /m);
  await refused('status --from 8d', 2, /Allowed choices are 1h, today, 24h, 7d/);
  await done('agents unblock worker');
});

test('what rules found is named, the worst first, and news are not', async () => {
  const { pool } = system().database;
  await insertAlert(pool, { title: 'a trifle', severity: 'warning' });
  await insertAlert(pool, { title: 'agent broken fails: all 12 requests', detail: 'mostly 500' });
  await insertAlert(pool, { title: 'somebody blocked an agent', severity: 'info' });
  const shown = await done('status --no-color');
  expect(shown).toMatch(
    /^TO LOOK AT .*\ncritical +agent broken fails: all 12 requests +mostly 500 .*\nwarning +a trifle /m,
  );
  expect(shown).not.toContain('somebody blocked');
});

test('--watch on a server that goes away says so and goes on', async () => {
  const relay = await startRelay(system().management.url);
  onTestFinished(() => relay[Symbol.asyncDispose]());
  const { child, run, ended } = startCli(['status', '--watch', '--every', '1', '--json'], {
    AGP_URL: relay.url,
    AGP_API_KEY: system().apiKey,
  });
  onTestFinished(() => void child.kill());
  const count = () => run.stdout.split('\n').length - 1;
  await waitFor('a status', async () => count() >= 1);
  relay.cut();
  await waitFor('the notice', async () => /(Nothing answers on|broke off).* \(trying again\)/.test(run.stderr));
  const before = count();
  relay.pointTo(system().management.url);
  await waitFor('the status again', async () => count() > before);
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 0 });
  for (const line of run.stdout.trim().split('\n'))
    expect(JSON.parse(line)).toMatchObject({ pause: { paused: false } });
});
