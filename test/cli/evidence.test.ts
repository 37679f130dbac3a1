import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordEvents, removeOldEvents } from '@agp/db';
import { makeEventAt } from '@agp/testing/events';
import { expect, test } from 'vitest';
import { waitFor } from '../system/start-system.ts';
import { useCliSystem } from './start-cli-system.ts';

const { system, send, done, readJson, refused } = useCliSystem();
const folder = mkdtempSync(join(tmpdir(), 'agp-evidence-'));
/** With leave to read the folder alone: it starts no other process, one for each session of a busy month. */
const check = (dir: string, ...words: string[]) =>
  spawnSync(process.execPath, ['--permission', `--allow-fs-read=${dir}`, join(dir, 'verify-evidence.mjs'), ...words], {
    encoding: 'utf8',
  });
const recorded = (agent: string, count: number) =>
  waitFor('the events', async () => (await readJson(`events list --agent ${agent}`)).length === count);

test('every cell is compared, and other columns are not as recorded', async () => {
  await send('compared', { 'x-session-id': 'ses_compared' });
  await recorded('compared', 1);
  const dir = join(folder, 'compared');
  await done(`agents evidence compared --from 1d --dir ${dir}`);
  const file = join(dir, 'events.csv');
  const csv = readFileSync(file, 'utf8');
  const [names = [], cells = []] = csv.split('\r\n').map((line) => line.split(','));
  const refuse = (table: string[][], found: RegExp) => {
    writeFileSync(file, table.map((row) => `${row.join(',')}\r\n`).join(''));
    expect(check(dir)).toMatchObject({ status: 1, stdout: expect.stringMatching(found) });
  };
  for (const [at, name] of names.entries())
    for (const forged of ['no price', "'"]) {
      const found = at === 0 ? /: no chain has it/ : new RegExp(`: ${name} is ${forged} in events\\.csv`);
      refuse([names, cells.with(at, forged)], found);
    }
  const cost = names.indexOf('cost_usd');
  refuse([names.toSpliced(cost, 1), cells.toSpliced(cost, 1)], /^events\.csv has other columns/);
  refuse([names.with(cost, 'cost'), cells.with(cost, '0')], /^events\.csv has other columns/);
  refuse(
    [
      [...names, 'note'],
      [...cells, 'x'],
    ],
    /^events\.csv has other columns.*\n1 event of 1 session: CHANGED: 1 difference, named above\n$/,
  );
  refuse([names, cells.slice(0, -1)], /it has 18 of 19 cells/);
  refuse([names, cells, cells], /^evt_\w+: events\.csv has it more than once\n1 event of .*: CHANGED: 1 difference/);
  const index = join(dir, 'evidence.json');
  const json = readFileSync(index, 'utf8');
  writeFileSync(index, json.replace(/"from": ".*?"/, `"from": "${new Date().toISOString()}"`));
  refuse([names, cells], /^evt_\w+: it is outside the range of evidence\.json\n1 event/);
  writeFileSync(index, json);
  writeFileSync(file, csv);
  expect(check(dir)).toMatchObject({ status: 0 });
});

test('a chain without its end is found by a head that was noted before', async () => {
  for (const _ of [1, 2]) await send('noted', { 'x-session-id': 'ses_noted' });
  await recorded('noted', 2);
  const dir = join(folder, 'noted');
  await done(`agents evidence noted --from 1d --dir ${dir}`);
  const { stdout } = check(dir, '--print-heads');
  expect(stdout).toMatch(/^ses_noted sha256:\w{64}\nheads: \w{64}\n2 events of 1 session: consistent/);
  const file = (name: string) => join(dir, name);
  writeFileSync(file('noted.txt'), stdout);
  expect(check(dir, '--heads', file('noted.txt'))).toMatchObject({ status: 0 });
  const [chain = '', removed] = readFileSync(file('sessions/ses_noted.json'), 'utf8').split('\n');
  const { entries, ...rest } = JSON.parse(chain);
  const last = entries.pop();
  for (const [name, whole, cut] of [
    ['events.csv', new RegExp(`^${last.event_id},.*\r\n`, 'm'), ''],
    ['evidence.json', '"events": 2', '"events": 1'],
  ] as const)
    writeFileSync(file(name), readFileSync(file(name), 'utf8').replace(whole, cut));
  // Also if an anchor that nothing needs claims the head.
  const anchor = JSON.stringify({ removed: [{ first_seq: 0, last_seq: 0, lineage_hash: last.lineage_hash }] });
  for (const [gone, status] of [
    [removed, 0],
    [anchor, 4],
  ] as const) {
    writeFileSync(file('sessions/ses_noted.json'), `${JSON.stringify({ ...rest, entries })}\n${gone}\n`);
    expect(check(dir)).toMatchObject({ status });
    const found = expect.stringMatching(/^ses_noted: its chain has not the head that was noted/);
    expect(check(dir, '--heads', file('noted.txt'))).toMatchObject({ status: 1, stdout: found });
  }
});

test('an end, a middle or all that somebody cut out and calls removed for its age is no evidence', async () => {
  await send('shortened', {});
  const { id: agent_id } = await readJson('agents show shortened');
  const hourMs = 3_600_000;
  for (const hour of [1, 2, 3])
    await recordEvents(system().database.pool, [
      makeEventAt(Date.UTC(2026, 5, 3) + hour * hourMs, { session_id: 'ses_short', agent_id }),
    ]);
  const dir = join(folder, 'shortened');
  await done(`agents evidence shortened --from 2026-06-01 --to 2026-07-01 --dir ${dir}`);
  expect(check(dir)).toMatchObject({ status: 0 });
  const files = ['sessions/ses_short.json', 'events.csv', 'evidence.json'].map((name) => join(dir, name));
  const [chain = '', csv = '', index = ''] = files.map((file) => readFileSync(file, 'utf8'));
  const { entries, ...rest } = JSON.parse(chain.split('\n')[0] ?? '');
  for (const [first_seq, last_seq, status, found] of [
    [2, 2, 5, /^ses_short: events from seq 2 on are said to be removed for their age, older ones are kept\n/],
    [1, 1, 5, /\n2 events of 1 session: DOUBTFUL: 1 chain, named above\n$/],
    [0, 2, 1, /^ses_short: all of it is said to be removed for its age, and the range is younger\n/],
    [0, 0, 4, /^1 event removed for their age: 1 of ses_short; what they were is not known\n/],
  ] as const) {
    const removed = [{ first_seq, last_seq, lineage_hash: entries[last_seq].lineage_hash }];
    const isGone = ({ seq }: { seq: number }) => first_seq <= seq && seq <= last_seq;
    const kept = entries.filter((each: { seq: number }) => !isGone(each));
    const ids = entries.filter(isGone).map(({ event_id }: { event_id: string }) => event_id);
    const forged = [
      `${JSON.stringify({ ...rest, entries: kept })}\n${JSON.stringify({ removed })}\n`,
      csv.replace(new RegExp(`^(?:${ids.join('|')}),.*\r\n`, 'gm'), ''),
      index.replace('"events": 3', `"events": ${kept.length}`),
    ];
    for (const [at, text] of forged.entries()) writeFileSync(files[at] ?? '', text);
    expect(check(dir)).toMatchObject({ status, stdout: expect.stringMatching(found) });
  }
});

test('a session whose id would be another path is not read, and named without control characters', async () => {
  await send('named', { 'x-session-id': 'ses_named' });
  await recorded('named', 1);
  const dir = join(folder, 'named');
  await done(`agents evidence named --from 1d --dir ${dir}`);
  const file = join(dir, 'evidence.json');
  const index = JSON.parse(readFileSync(file, 'utf8'));
  for (const id of ['../evidence', 'ses_a/../../evidence', 'ses_\u001b[2J', 7]) {
    writeFileSync(file, JSON.stringify({ ...index, sessions: [...index.sessions, id] }));
    const { status, stdout, stderr } = check(dir);
    expect([status, stderr]).toEqual([1, '']);
    expect(stdout).toMatch(/^"?[ -~]+"?: not the id of a session\n/);
  }
});

test('a team, several agents or all are one folder, and what is left out of it is found', async () => {
  for (const agent of ['of-team', 'beside', 'alone']) await send(agent, { 'x-session-id': `ses_${agent}` });
  for (const agent of ['of-team', 'beside', 'alone']) await recorded(agent, 1);
  for (const agent of ['of-team', 'beside']) await done(`agents label ${agent} team=sales`);
  const take = (who: string, dir: string) => done(`agents evidence ${who} --from 1d --dir ${join(folder, dir)}`);
  expect(await take('--label team=sales', 'team')).toContain('wrote 2 events of 2 sessions');
  expect(await take('alone of-team alone', 'both')).toContain('wrote 2 events of 2 sessions');
  const index = JSON.parse(readFileSync(join(folder, 'both', 'evidence.json'), 'utf8'));
  expect(index.agents.map(({ name }: { name: string }) => name)).toEqual(['alone', 'of-team']);
  expect(index).not.toHaveProperty('label');
  const ofTeam = JSON.parse(readFileSync(join(folder, 'team', 'evidence.json'), 'utf8'));
  expect(ofTeam).toMatchObject({ label: 'team=sales', agents: [{ name: 'of-team' }, { name: 'beside' }] });
  await take('--all', 'all');
  for (const dir of ['team', 'both', 'all']) expect(check(join(folder, dir))).toMatchObject({ status: 0 });
  for (const dir of ['team', 'all']) {
    const file = join(folder, dir, 'events.csv');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^evt_.*,ses_beside,.*\r\n/m, ''));
    expect(check(join(folder, dir))).toMatchObject({ status: 1, stdout: expect.stringMatching(/^events.csv has/) });
  }
  await refused(`agents evidence --from 1d --dir ${folder}/none`, 2, /name an agent, or several, or give --label/);
  await refused(`agents evidence alone --all --dir ${folder}/none`, 2, /name an agent, or several, or give --label/);
  await refused(`agents evidence --label team=none --dir ${folder}/none`, 1, /^no agent has the label team=none/);
});

test('what retention took is named, and has a code of its own', async () => {
  for (const session of ['ses_old', 'ses_both', 'ses_both']) await send('aged', { 'x-session-id': session });
  await recorded('aged', 3);
  await removeOldEvents(system().database.db, new Date(Date.now() + 30 * 86_400_000), 7);
  const gone = join(folder, 'gone');
  expect(await done(`agents evidence aged --from 1d --dir ${gone}`)).toContain(
    'wrote 0 events of 2 sessions; of these sessions retention removed 3 events for their age',
  );
  expect(check(gone)).toMatchObject({
    status: 3,
    stdout: expect.stringMatching(/^3 events removed for their age, before .*: . of ses_\w+, . of ses_/),
  });
  await send('aged', { 'x-session-id': 'ses_both' });
  await recorded('aged', 1);
  const cut = join(folder, 'cut');
  await done(`agents evidence aged --from 1d --dir ${cut}`);
  expect(check(cut)).toMatchObject({
    status: 4,
    stdout: expect.stringMatching(/^3 events .* before \d{4}-.*\nheads: .*\n1 event of 2 sessions: consistent/),
  });
});
