import { randomUUIDv7 } from 'node:crypto';
import { toPublicId, uuidOf } from '@agp/core/ids';
import { shortenId } from '@agp/core/text';
import { addUnrecordedSpend } from '@agp/db';
import { expect, test } from 'vitest';
import { waitFor } from '../system/start-system.ts';
import { useCliSystem } from './start-cli-system.ts';

const { system, send, agp, done, refused, readJson } = useCliSystem();

test('an event is shown with all that is known of it, and the proof is computed here', async () => {
  const { headers } = await send('asked', { 'x-request-id': 'call-of-asked' });
  const id = headers.get('x-event-id') ?? '';
  await waitFor('its event', async () => (await readJson('events list --request-id call-of-asked')).length === 1);
  const shown = await done(`events show ${id}`);
  expect(shown).toMatch(/^agent \* +asked \(agt_/m);
  expect(shown).toMatch(/^result +completed$/m);
  expect(shown).toMatch(/^request +POST \/v1\/chat\/completions$/m);
  expect(shown).toMatch(/^request id \* +call-of-asked$/m);
  expect(shown).toMatch(/^personal data +none\nsearched +all of it$/m);
  expect(shown).toMatch(/^proof +As it was written: the same hash was computed here\.$/m);
  const uuid = "(SELECT id FROM events WHERE request_id = 'call-of-asked')";
  await system().database.pool.query(`UPDATE events SET model = 'gpt-4x' WHERE id = ${uuid}`);
  expect(await done(`events show ${id}`)).toMatch(
    /^proof +The payload hashes to it, but other values are shown of model\.$/m,
  );
  await system().database.pool.query(
    `UPDATE events SET payload = replace(payload, '"gpt-4o', '"gpt-4x') WHERE id = ${uuid}`,
  );
  expect(await done(`events show ${id}`)).toMatch(
    /^proof +It was changed: the payload does not hash to what was recorded\.$/m,
  );
  await refused('events show evt_nothing', 1, /^event not found; "events list" shows the events/);
});

test('a request id leads to its event or its refusal, and unknown or hostile ones to neither', async () => {
  await send('stopped', { 'x-request-id': 'before-the-block' });
  await done('agents block stopped --reason incident-42');
  expect(await done('agents show stopped')).toMatch(
    /^blocked +since [-\d]+ [\d:]+Z by key bootstrap \(incident-42\)$/m,
  );
  expect((await send('stopped', { 'x-request-id': 'after-the-block' })).status).toBe(403);
  await waitFor('the refusal', async () => (await readJson('refusals --agent stopped')).length === 1);
  expect(await done('refusals --reason agent_blocked --csv --all')).toMatch(
    /^id,timestamp,agent_id,agent_name,reason,.*\r\nref_\w+,2[^,]+,agt_\w+,stopped,agent_blocked,/,
  );
  expect(await done('refusals --reason agent_blocked')).toMatch(
    /stopped +agent_blocked +127\.0\.0\.1 +openai +\S+ +after-the-block/,
  );
  const explained = await done('why after-the-block');
  expect(explained).toMatch(
    /^agent_blocked: Somebody blocked the agent\. "agents show" says .*\n\nTIME .*\n.* stopped +agent_blocked /,
  );
  await waitFor('the event', async () => (await readJson('events list --request-id before-the-block')).length === 1);
  expect(await done('why before-the-block')).toMatch(/^agent \* +stopped /m);
  const [event] = await readJson('events list --request-id before-the-block');
  expect(await readJson(`why ${event.id}`)).toMatchObject({
    events: [{ id: event.id, outcome: 'completed' }],
    refusals: [],
  });
  for (let sent = 0; sent < 6; sent += 1) await send('repeating', { 'x-request-id': 'one-of-many' });
  await waitFor('the events', async () => (await readJson('events list --request-id one-of-many')).length === 6);
  const { stdout, stderr } = await agp('why one-of-many --json');
  expect(JSON.parse(stdout).events).toHaveLength(5);
  expect(stderr).toBe('only the latest 5 events: "events list --request-id ..." has more\n');
  await refused('why nobody-sent-this', 1, /^No event and no listed refusal has the id nobody-sent-this;/);
  await refused(`why ${'a'.repeat(10_000)}`, 1, /^provider_request_id: /);
  await refused('why a\u001b[2Jb', 1, /^No event and no listed refusal has the id a\\u\{1b\}\[2Jb;/);
});

test('an id that an agent was given leads to the loss of its event', async () => {
  await send('loser');
  const [{ id, agent_id }] = await waitFor('the event', async () => {
    const events = await readJson('events list --agent loser');
    return events.length === 1 && events;
  });
  const lost = toPublicId('evt', randomUUIDv7());
  await addUnrecordedSpend(system().database.pool, [
    {
      eventId: uuidOf('evt', lost),
      agentId: uuidOf('agt', agent_id),
      day: '2026-03-01',
      costNanoUsd: 5_000_000,
      reason: 'ended_without_record',
      request: { sessionId: 'ses_loser', provider: 'openai', model: 'gpt-4o' },
    },
  ]);
  for (const command of ['events show', 'why']) {
    const shown = await done(`${command} ${lost}`);
    expect(shown).toMatch(/^result +lost$/m);
    expect(shown).toMatch(/^agent +loser \(agt_/m);
    expect(shown).toMatch(/^why +ended_without_record: its proxy was killed/m);
    expect(shown).toMatch(/^counts \(USD\) +0\.005/m);
  }
  expect(await readJson(`events show ${lost}`)).toMatchObject({ event_id: lost, outcome: 'lost' });
  expect(await readJson(`why ${lost}`)).toMatchObject({ events: [], unrecorded: [{ event_id: lost }], refusals: [] });
  expect(await readJson(`why ${id}`)).toMatchObject({ events: [{ id }], unrecorded: [] });
  const nothing = toPublicId('evt', randomUUIDv7());
  for (const command of ['events show', 'why']) await refused(`${command} ${nothing}`, 1, /^event not found; /);
});

test('the list tells failures, and what was not searched, from the rest', async () => {
  const update = (set: string, where: string) =>
    system().database.pool.query(`UPDATE events SET ${set} WHERE ${where}`);
  await send('worker');
  await waitFor('five events', async () => (await readJson('events list --agent worker')).length === 5);
  const [one, two, three, four, five] = (await readJson('events list --agent worker --limit 5')).map(
    ({ id }: { id: string }) => id,
  );
  const rows = async (filter = '') =>
    new Map(
      (await done(`events list --agent worker ${filter}`))
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => [line.slice(line.lastIndexOf(' ') + 1), line]),
    );
  const set = async (publicId: string, change: string) => {
    const { chain } = await readJson(`events show ${publicId} --json`.replace(' --json', ''));
    await update(change, `session_id = 'ses_cli' AND seq = ${chain.seq}`);
  };
  await set(one, "outcome = 'failed', http_status = 502, failure = 'name_not_found', pii_scan = 'none'");
  await set(two, "outcome = 'failed', http_status = 429, pii_scan = 'partial'");
  await set(three, "outcome = 'killed', pii_types = '{email}', pii_detected = true");
  await set(five, 'http_status = 500');
  const shown = await rows();
  expect(shown.get(one)).toMatch(/ worker +failed: name_not_found .* not searched +evt_/);
  expect(shown.get(two)).toMatch(/ worker +failed: 429 .* none in what was searched +evt_/);
  expect(shown.get(three)).toMatch(/ worker +killed .* email +evt_/);
  expect(await done(`why ${two}`)).toMatch(/^personal data +none in what was searched\nsearched +a part of it$/m);
  expect(shown.get(four)).toMatch(/ worker +completed .* none +evt_/);
  expect(shown.get(five)).toMatch(/ worker +answered 500 .* evt_/);
  expect(await done(`why ${five}`)).toMatch(
    /^500 is the provider's own answer, .*\n\nid +evt_[\s\S]*^result +answered 500$/m,
  );
  await set(four, "outcome = 'failed', failure = 'reset'");
  expect(await done(`why ${four}`)).toMatch(
    /^The answer began, with status 200, and broke off: .*\n\nid +evt_[\s\S]*^status +-$/m,
  );
  await set(four, 'failure = NULL');
  expect(await done('sessions show ses_cli')).toMatch(
    /^TIME +RESULT +MODEL [\s\S]* answered 500 [\s\S]* failed midway /m,
  );
  await set(four, "outcome = 'completed'");
  expect([...(await rows('--failed')).keys()]).toEqual([one, two, five]);
  await set(one, "failure = 'refused'");
  expect((await rows()).get(one)).toMatch(/ failed: connection refused /);
  expect([...(await rows('--outcome failed')).keys()]).toEqual([one, two]);
  expect([...(await rows('--status 4xx')).keys()]).toEqual([two]);
  expect([...(await rows('--pii-type email')).keys()]).toEqual([three]);
});

test('an id is taken by its beginning, or by both ends as tables show it; what fits several says so', async () => {
  const [{ id, agent_id: agentId }] = await readJson('events list --agent worker --limit 1');
  for (const short of [shortenId(id), id.slice(0, -1), shortenId(id).replace('…', '...')]) {
    expect(await readJson(`events show ${short}`)).toMatchObject({ id });
    expect(await readJson(`why ${short}`)).toMatchObject({ events: [{ id }] });
  }
  await refused(`why ${id.slice(0, 8)}`, 1, /^evt_\w{4} fits \d+ ids \(evt_\w{26}, .* \.\.\.\): give more of it$/m);
  await refused('why evt_7', 1, /^No event and no listed refusal has the id evt_7; /);
  expect(await readJson('sessions show ses_cl')).toMatchObject({ session: { id: 'ses_cli' } });
  // An earlier test changed an event of it.
  await refused('sessions verify ses_cl', 1, /^ses_cli diverges at seq /);
  expect(await readJson(`agents show ${agentId.slice(0, -2)}`)).toMatchObject({ name: 'worker' });
  await refused('why ses_cli', 1, /; it is one of a session: "sessions show" lists its events$/m);
  await refused(`why ${agentId}`, 1, /; it is one of an agent: "agents show" shows it/);
});

test('lists take the words that they show as filters, and a report has its columns as asked', async () => {
  await send('tagged', { 'x-compliance-tag': 'team-sales' });
  await waitFor('its event', async () => (await readJson('events list --tag team-sales')).length === 1);
  expect(await done('events list --result completed --tag team-sales')).toMatch(/ tagged +completed /);
  for (const result of ['answered 500', '500', '5xx'])
    expect(await readJson(`events list --result "${result}" --agent tagged`)).toEqual([]);
  await refused('events list --result nonsense', 1, /^outcome: /);
  expect(await done('agents list --search AGGE --order seen')).toMatch(/^NAME .*\ntagged [^\n]*\n$/);
  expect(await done('costs report --by tag,model')).toMatch(/^TAG +MODEL /);
  expect(await done('status')).toMatch(/^spent today +[\d.]+ USD; no cap$/m);
});
