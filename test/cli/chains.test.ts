import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { waitFor } from '../system/start-system.ts';
import { useCliSystem } from './start-cli-system.ts';

const { system, send, agp, done, refused, readJson } = useCliSystem();

test('a chain is checked here: what was changed in the database is named, whatever the server says', async () => {
  const verdict = await readJson('sessions verify ses_cli');
  expect(verdict).toMatchObject({ session_id: 'ses_cli', valid: true, first_divergence: null });
  expect(verdict.length).toBeGreaterThanOrEqual(4);
  expect(await done(`sessions verify ses_cli --head ${verdict.head}`)).toContain('is as it was written');
  await send('once');
  await waitFor('its event', async () => (await agp('sessions verify ses_once')).code === 0);
  expect(await done('sessions verify ses_once')).toMatch(/^ses_once is as it was written: 1 event\nhead sha256:/);
  await refused(
    `sessions verify ses_cli --head sha256:${'0'.repeat(64)}`,
    1,
    /no longer has the hash that --head names/,
  );
  await refused('sessions verify ses_nobody', 1, /^session not found/);

  const { pool } = system().database;
  const change = (from: string, to: string) =>
    pool.query("UPDATE events SET payload = replace(payload, $1, $2) WHERE session_id = 'ses_cli' AND seq = 2", [
      from,
      to,
    ]);
  await change('"gpt-4o', '"gpt-4x');
  await refused(
    'sessions verify ses_cli',
    1,
    /^ses_cli diverges at seq 2 \(evt_\w+\): its hash is not that of the payload/,
  );
  const { code, stdout } = await agp('sessions verify ses_cli --json');
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 1, valid: false, first_divergence: 2 });
  await change('"gpt-4x', '"gpt-4o');
  await done('sessions verify ses_cli');
  // The chain is whole, and what people are shown is not what it says.
  await pool.query("UPDATE events SET cost_usd = 0 WHERE session_id = 'ses_cli' AND seq = 1");
  await refused('sessions verify ses_cli', 1, /^ses_cli diverges at seq 1 .*the API shows another cost_usd/);
});

test.each([1, 3])('a chain whose last %i of three events were deleted is cut off', async (gone) => {
  const session = `ses_cut${gone}`;
  for (let count = 0; count < 3; count += 1) await send('worker', { 'x-session-id': session });
  const read = async () => (await readJson('sessions list --agent worker')) as { id: string; event_count: number }[];
  await expect.poll(async () => (await read()).find(({ id }) => id === session)?.event_count).toBe(3);
  await done(`sessions verify ${session}`);
  await system().database.pool.query('DELETE FROM events WHERE session_id = $1 AND seq >= $2', [session, 3 - gone]);
  await refused(
    `sessions verify ${session}`,
    1,
    new RegExp(`^${session} diverges at seq ${3 - gone}: it was cut off here: .* a length of 3`),
  );
  const { code, stdout } = await agp(`sessions verify ${session} --json`);
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 1, valid: false, first_divergence: 3 - gone });
});

test('an audit log whose last entries were deleted is cut off', async () => {
  for (const change of ['block', 'unblock', 'block', 'unblock']) await done(`agents ${change} worker`);
  const { length } = await readJson('audit verify');
  // Nothing is added meanwhile.
  const locker = await system().database.pool.connect();
  try {
    await locker.query('BEGIN; SELECT FROM audit_head FOR UPDATE');
    const { rows } = await locker.query('SELECT length FROM audit_head');
    expect(rows[0].length).toBeGreaterThanOrEqual(length);
    await system().database.pool.query('CREATE TABLE kept AS SELECT * FROM audit_log WHERE seq >= $1', [length - 2]);
    await system().database.pool.query('DELETE FROM audit_log WHERE seq >= $1', [length - 2]);
    await refused(
      'audit verify',
      1,
      new RegExp(`^the audit log diverges at seq ${length - 2}: it was cut off here: .* a length of ${rows[0].length}`),
    );
    const { code, stdout } = await agp('audit verify --json');
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 1, valid: false, first_divergence: length - 2 });
    await system().database.pool.query('INSERT INTO audit_log SELECT * FROM kept');
  } finally {
    await locker.query('ROLLBACK');
    locker.release();
  }
  await done('audit verify');
});

test('the audit log says who did what, and is checked here too', async () => {
  await done('agents block worker');
  await done('agents unblock worker');
  const [entry] = await readJson('audit list --agent worker --action agent.update --limit 1');
  expect(entry).toMatchObject({ actor: { kind: 'api_key', name: 'bootstrap' }, after: { status: 'active' } });
  expect(await done('audit list --agent worker')).toMatch(/bootstrap\s+127\.0\.0\.1\s+agent\.update\s+worker/);
  const verdict = await readJson('audit verify');
  expect(verdict).toMatchObject({ valid: true, first_divergence: null });
  await done(`audit verify --head ${verdict.head}`);
  await refused(`audit verify --head sha256:${'0'.repeat(64)}`, 1, /no longer has the hash that --head names/);
  const change = "UPDATE audit_log SET payload = replace(payload, 'active', 'passive') WHERE seq = $1";
  await system().database.pool.query(change, [entry.seq]);
  await refused('audit verify', 1, new RegExp(`^the audit log diverges at seq ${entry.seq} `));
});

test('evidence of an agent is checked by its own verifier, without us', async () => {
  await send('audited', { 'x-session-id': 'ses_audited_1' });
  await send('audited', { 'x-session-id': 'ses_audited_2' });
  await waitFor('both', async () => (await readJson('events list --agent audited')).length === 2);
  const dir = join(mkdtempSync(join(tmpdir(), 'agp-evidence-')), 'evidence');
  expect(await done(`agents evidence audited --from 1d --dir ${dir}`)).toContain('wrote 2 events of 2 sessions');
  expect(readFileSync(join(dir, 'events.csv'), 'utf8').trim().split('\r\n')).toHaveLength(3);
  for (const id of ['ses_audited_1', 'ses_audited_2']) {
    const input = readFileSync(join(dir, 'sessions', `${id}.json`));
    const checked = spawnSync(process.execPath, [join(dir, 'verify-lineage.mjs')], { input, encoding: 'utf8' });
    expect(checked.stdout).toMatch(new RegExp(`^${id}: 1 event, head sha256:`));
  }
  const check = () => spawnSync(process.execPath, [join(dir, 'verify-evidence.mjs')], { encoding: 'utf8' });
  expect(check()).toMatchObject({ status: 0, stdout: expect.stringMatching(/^2 events of 2 sessions: consistent/m) });
  await refused(`agents evidence audited --from 1d --dir ${dir}`, 1, /is there already: name a new folder/);
  await refused(`agents evidence audited --to 2020-01-01 --dir ${dir}-none`, 1, /has no event in this range/);

  const csv = readFileSync(join(dir, 'events.csv'), 'utf8');
  const chain = join(dir, 'sessions', 'ses_audited_1.json');
  const whole = readFileSync(chain, 'utf8');
  const rows = csv.split('\r\n');
  for (const [file, changed, found] of [
    [
      'events.csv',
      csv.replace(/^((?:evt|agt|ses)_.*?,response,)[^,]*/m, '$1forged'),
      /: model is forged in events\.csv/,
    ],
    ['events.csv', [rows[0], rows[2], ''].join('\r\n'), /^events\.csv has 1 event, evidence\.json says 2/],
    ['sessions/ses_audited_1.json', whole.replace(/("entries":\[).*?\](?=\}\n)/, '$1]'), /: no chain has it/],
    ['sessions/ses_audited_1.json', whole.replace(/(\\"model\\":\\")/, '$1forged'), /diverges at seq 0/],
  ] as const) {
    const before = readFileSync(join(dir, file), 'utf8');
    expect(changed).not.toBe(before);
    writeFileSync(join(dir, file), changed);
    expect(check()).toMatchObject({ status: 1, stdout: expect.stringMatching(found) });
    writeFileSync(join(dir, file), before);
  }
  rmSync(chain);
  expect(check()).toMatchObject({ status: 1, stdout: expect.stringMatching(/^ses_audited_1: its chain is missing/) });
});
