import type { Status } from '@agp/core/contracts';
import { shortenId } from '@agp/core/text';
import { expect, test } from 'vitest';
import { measureText } from '../../packages/cli/src/table.ts';
import { waitFor } from '../system/start-system.ts';
import { useCliSystem } from './start-cli-system.ts';

const { system, send, agp, done, refused, readJson } = useCliSystem();

test('several agents are blocked by one command: each is reported, and a wrong name keeps no other from it', async () => {
  await send('second');
  const run = await agp('agents block worker nobody second worker --reason "gone->wild"');
  expect(run).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^worker \(\w+\) is blocked\nsecond \(\w+\) is blocked\n$/),
  });
  expect(run.stderr).toMatch(/^nobody: No agent is named nobody; .*\n1 of 3 agents were not changed\n$/);
  expect([(await send('worker')).status, (await send('second')).status]).toEqual([403, 403]);
  const unblocked = await done('agents unblock worker second --json');
  expect(
    unblocked
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).status),
  ).toEqual(['active', 'active']);
  expect(await done('audit list --limit 10')).toMatch(/worker +status: active -> blocked +gone->wild\n/);
  await refused(`agents block worker --reason ${'x'.repeat(257)}`, 1, /^reason: must be 1 to 256 printable characters/);
  await done('agents retire second --reason moved');
  // Refused requests of the running minute are listed first.
  const [entry] = await readJson('audit list --agent second --action agent.retire --limit 1');
  expect(entry).toMatchObject({ action: 'agent.retire', reason: 'moved', after: { status: 'retired' } });
});

test('labels are set and found, a block ends when it was told to, and one command caps several agents', async () => {
  await send('fourth');
  expect(await done('agents label fourth team=sales note=x owner-')).toBe('fourth: note=x, team=sales\n');
  expect(await done('agents list --label team=sales')).toMatch(/^fourth +active/m);
  expect(await done('agents label fourth team- note-')).toBe('fourth: no labels\n');
  await refused('agents label fourth team', 2, /team: must be name=value, or name- to remove a label/);
  expect(await done('agents block fourth --until 2h')).toMatch(/^fourth \(\w+\) is blocked until [-\d]+ [\d:]+Z\n$/);
  expect(await done('agents show fourth')).toMatch(/^blocked +since .* by key bootstrap .*, until [-\d]+ [\d:]+Z$/m);
  await done('agents unblock fourth');
  const capped = await agp('budgets set worker nobody fourth 7');
  expect([capped.code, capped.stdout.match(/ 7\.00 /g)?.length]).toEqual([1, 2]);
  await done('budgets set worker fourth none');
});

test('a first token for a name in use is not made unasked, and what it will refuse is said', async () => {
  expect((await send('in-use')).status).toBe(200);
  const { id } = await readJson('agents show in-use');
  await waitFor('its event', async () => (await system().api<unknown[]>(`/api/v1/agents/${id}/events`)).length === 1);
  const warning =
    /^in-use made 1 request without a token in the last 24 hours, the latest at [-\d :]+Z from 127\.0\.0\.1\. .* gets 401\. /;
  await refused('tokens create in-use', 1, warning);
  expect((await send('in-use')).status).toBe(200);
  await done('tokens create in-use --yes');
  expect((await send('in-use')).status).toBe(401);
  // It needs a token already: nobody is refused who was not before.
  await done('tokens create in-use');
});

test('keys, tokens and names change for a reason, and the cap of new agents shows no spend', async () => {
  const key = await readJson('keys create viewer --scopes read --reason made-it');
  await done(`keys rotate ${key.id} --reason turned-it`);
  await done(`keys delete ${key.id} --reason no-more`);
  const token = await readJson('tokens create reasoned --reason for-it');
  await done(`tokens revoke ${token.id} --reason against-it`);
  await done('names release reasoned --reason freed-it');
  const entries: { reason: string | null }[] = await readJson('audit list --limit 20');
  const reasons = entries.flatMap(({ reason }) => reason ?? []);
  expect(reasons.slice(0, 6).toReversed()).toEqual([
    'made-it',
    'turned-it',
    'no-more',
    'for-it',
    'against-it',
    'freed-it',
  ]);
  await refused('names release reasoned --reason ""', 1, /^(reason|claimed name)/);
  expect(await done('budgets set --default 3')).toMatch(/^AGENT +CAP \(USD\) *\n\(new agents\) +3\.00$/m);
  await done('budgets set --default none');
  await refused('budgets set nobody 3', 1, /^No agent is named nobody; .* an agent begins with its first request$/m);
});

test.each([80, 120])(
  'on a terminal of %i columns every table fits, whatever names and models agents choose',
  async (columns) => {
    const name = `模型-${'名'.repeat(40)}-${columns}`;
    const sent = await send(name, { 'x-session-id': `ses_${'long'.repeat(15)}${columns}` });
    expect(sent.status).toBe(200);
    await waitFor('its event', async () => (await done('sessions list')).includes(name));
    const [isTty, width] = [process.stdout.isTTY, process.stdout.columns];
    await done('agents block worker');
    const uuid = crypto.randomUUID();
    expect((await send('worker', { 'x-request-id': uuid })).status).toBe(403);
    await done('agents unblock worker');
    await waitFor('its refusal', async () => (await readJson(`refusals --request-id ${uuid}`)).length === 1);
    // The longest code of all.
    const longer = "UPDATE refused_requests SET reason = 'session_of_another_agent' WHERE request_id = $1";
    await system().database.pool.query(longer, [uuid]);
    Object.assign(process.stdout, { isTTY: true, columns });
    try {
      expect(await done(`refusals --no-color --request-id ${uuid}`)).toMatch(
        new RegExp(` session_of_another_agent .*${uuid}\n$`),
      );
      const { id } = await readJson('agents show worker');
      expect(await done('agents list --no-color')).toMatch(
        new RegExp(`^worker +active .*(${id}|${shortenId(id)})$`, 'm'),
      );
      const report = await done('costs report --no-color --by agent,model,provider,tag');
      expect(report).toMatch(/^worker +gpt-4o\S* +openai +default +0\.\d+/m);
      const heads: [string, RegExp][] = [
        ['events list', /^TIME +AGENT +RESULT .*MODEL .*COST \(USD\) .*ID$/m],
        ['audit list', /^TIME +WHO .*ACTION +ABOUT +WHAT/m],
        ['sessions list', /^STARTED .*AGENT .*EVENTS .*COST \(USD\) .*ID$/m],
      ];
      for (const [list, head] of heads) expect(await done(`${list} --no-color`)).toMatch(head);
      for (const list of [
        'agents list',
        'events list',
        'sessions list',
        'costs breakdown',
        'budgets show',
        'limits show',
        'audit list',
        'keys list',
        'tokens list',
        'names list',
      ]) {
        const lines = (await done(`${list} --no-color`)).trimEnd().split('\n');
        expect(lines.length).toBeGreaterThan(1);
        for (const line of lines)
          expect([list, line, measureText(line)]).toEqual([
            list,
            line,
            expect.toSatisfy((wide: number) => wide <= columns),
          ]);
      }
    } finally {
      Object.assign(process.stdout, { isTTY: isTty, columns: width });
    }
    expect(await done('agents list')).toContain(name);
  },
);

test('sessions are found by the name that callers gave, and agents are chosen by a label', async () => {
  for (const agent of ['closer', 'other-closer'])
    expect((await send(agent, { 'x-session-id': 'march-close' })).status).toBe(200);
  await waitFor('both sessions', async () => (await readJson('sessions list --name march-close')).length === 2);
  await refused('sessions show march-close', 1, /^several agents have a session march-close: name one of ses_\S+ \(/);
  const [{ id }] = await readJson('sessions list --name march-close --limit 1');
  expect(await done(`sessions show ${id}`)).toMatch(/^name +march-close$/m);
  expect((await send('closer', { 'x-session-id': 'april close' })).status).toBe(200);
  await waitFor('it', async () => (await readJson('sessions list --name "april close"')).length === 1);
  expect(await done('sessions show "april close"')).toMatch(/^name +april close\nagent +closer /m);

  for (const agent of ['closer', 'other-closer']) await done(`agents label ${agent} team=close`);
  const blocked = await done('agents block --label team=close --reason audit');
  expect(blocked.trim().split('\n')).toHaveLength(2);
  expect((await send('closer')).status).toBe(403);
  await done('agents unblock --label team=close');
  await refused('agents block --label team=nobody', 1, /^no agent has the label team=nobody/);
  await refused('agents block', 2, /^name an agent, or several, or --label/);
  expect(await readJson('sessions list --label team=close')).toHaveLength(3);

  await done('budgets set --label team=close 0.0000001');
  expect((await send('closer')).status).toBe(429);
  await waitFor('the refusal', async () => (await done('budgets show closer')).includes('no room: refused '));
  const near = (await system().api<Status>('/api/v1/status')).spend?.agents_near_cap ?? [];
  expect(near.map(({ agent_name, no_room }) => [agent_name, no_room])).toContainEqual(['closer', true]);
  await done('budgets set --label team=close 50');
  expect(await done('budgets show closer')).not.toContain('no room');
  await done('budgets set --label team=close none');
});
