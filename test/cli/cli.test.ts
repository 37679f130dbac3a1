import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { roundUsd } from '@agp/core/explain';
import { expect, onTestFinished, test } from 'vitest';
import { startCli } from './run-cli.ts';
import { useCliSystem } from './start-cli-system.ts';
import { startRelay } from './start-relay.ts';

const { system, send, agp, done, refused, readJson, provider } = useCliSystem();

async function readText(path: string): Promise<string> {
  const answer = await fetch(system().management.url + path, {
    headers: { authorization: `Bearer ${system().apiKey}` },
  });
  return answer.text();
}

test.each([
  ['agents list', '/api/v1/agents'],
  ['events list --limit 3', '/api/v1/events?limit=3'],
  ['sessions list', '/api/v1/sessions'],
  ['sessions show ses_cli', '/api/v1/sessions/ses_cli'],
  ['costs summary', '/api/v1/costs/summary'],
  ['costs breakdown', '/api/v1/costs/breakdown'],
  ['costs unpriced', '/api/v1/costs/unpriced'],
  ['costs doubtful', '/api/v1/costs/doubtful?limit=50'],
  ['costs unrecorded', '/api/v1/costs/unrecorded?limit=50'],
  ['prices --search gpt-4 --limit 3 --offset 1', '/api/v1/prices?search=gpt-4&limit=3&offset=1'],
  ['budgets show', '/api/v1/budgets'],
  ['limits show', '/api/v1/limits'],
  ['pause status', '/api/v1/pause'],
  ['tokens list', '/api/v1/agent-tokens'],
  ['names list', '/api/v1/claimed-names'],
  ['audit list', '/api/v1/audit?limit=50'],
])('%s --json is what the API answers to GET %s, and shows it without', async (command, path) => {
  expect(await done(`${command} --json`)).toBe(`${await readText(path)}\n`);
  const shown = await done(command);
  expect(shown).not.toMatch(/^[[{]/);
  if (/agents|breakdown|budgets|limits|sessions/.test(command)) expect(shown).toContain('worker');
});

test('prices are shown with unit, steps and source, and an unpriced model with the entry that it needs', async () => {
  expect(await done('prices --provider openai --model gpt-4o')).toMatch(
    /^PROVIDER .*\nopenai +gpt-4o +input_mtok 2\.5; .*output_mtok 10.* +genai-prices 0\.1\.8 /,
  );
  expect(await done('prices --search gemini-2.5-pro')).toContain('output_mtok 10, above 200000: 15');
  await system().database.pool.query("INSERT INTO unpriced_usage VALUES ('vllm', 'own', 1, 1, 1, now(), now())");
  const entry = '{"provider":"vllm","model":"own","prices":{"input_mtok":null,"output_mtok":null}}';
  expect((await done('prices --limit 1')).replace(/ +/g, ' ')).toContain(`\nvllm own ${entry} unpriced `);
});

test('lists and reports come as CSV, in all pages, and of the time asked for', async () => {
  const events = await done('events list --from 1h --csv --limit 2');
  expect(events).toMatch(/^id,agent_id,.*,agent_name,.*\r\n(evt_.*,worker,.*\r\n){2}$/);
  const [head, ...rows] = (await done('events list --agent worker --csv --all')).split('\r\n');
  expect(head).toContain('agent_name');
  expect(rows.slice(0, -1).every((row) => row.startsWith('evt_'))).toBe(true);
  expect(rows.length - 1).toBe((await readJson('events list --agent worker --limit 1000')).length);
  expect(await done('sessions list --agent worker --from today --csv --all')).toMatch(/\r\nses_cli,.*\r\n/);
  expect(await done('sessions list --to yesterday --csv')).toMatch(/^id,[^\n]*\r\n$/);
  expect(await done('costs breakdown --csv')).toMatch(/^agent_id,agent_name,.*\r\nagt_\w+,worker,/);
  expect(await done('audit list --from yesterday --to 2999-01-01 --json')).toMatch(/^\[/);

  const { total_cost_usd } = await readJson('costs summary');
  const report = await readJson('costs report --from yesterday --by agent,model,tag');
  expect(report).toMatchObject({ time_zone: 'UTC', to: null, group_by: ['agent', 'model', 'tag'] });
  expect(
    report.usage.reduce((sum: number, entry: { total_cost_usd: number }) => sum + entry.total_cost_usd, 0),
  ).toBeCloseTo(total_cost_usd, 9);
  expect(await done('costs report --from yesterday --by day,agent')).toMatch(
    /^DAY \(UTC\) +AGENT[^\n]*\n20\d\d-\d\d-\d\d +worker/,
  );
  expect(await done('costs report --from yesterday --by agent,model --csv')).toMatch(
    /^agent_id,agent_name,model,total_cost_usd,.*\r\nagt_\w+,worker,gpt-4o/,
  );
  await refused('costs report --from tomorrow', 1, /^from: must be a time such as .* 7d/);
  const month = await readJson('costs report --month 2026-02');
  expect(month).toMatchObject({ from: '2026-02-01T00:00:00.000Z', to: '2026-03-01T00:00:00.000Z' });
  const first = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth())).toISOString();
  expect(await readJson('costs report --month last')).toMatchObject({ to: first });
  expect(await readJson('costs report --month this')).toMatchObject({ from: first });
  const spent = (await readJson('costs report --month this')).usage[0].total_cost_usd;
  const [heads = '', sum = ''] = (await done('costs report --month this')).split('\n');
  expect(heads).toMatch(/^COST \(USD\) +EXPECTED \(USD\) +REQUESTS/);
  expect(Number(sum.trim().split(/ +/)[1])).toBeGreaterThanOrEqual(Number(roundUsd(spent)));
  const [names = '', cells = ''] = (await done('costs report --month this --csv')).split('\r\n');
  expect(names).toMatch(/^total_cost_usd,.*,expected_cost_usd$/);
  expect(Number(cells.split(',').at(-1))).toBeGreaterThanOrEqual(spent);
  expect(await done('costs report --month last --csv')).not.toContain('expected_cost_usd');
  expect(await done('costs report --month this --by day')).not.toContain('EXPECTED');
  expect(await done('costs report --month last')).not.toContain('EXPECTED');
  await refused('costs report --month 2026-13', 2, /must be a month such as 2026-10, this or last/);
  await refused('costs report --month last --from 7d', 2, /cannot be used with/);
  await refused('costs report --by colour', 1, /^group_by: must be some of hour, day, agent/);
  const pages = (await done('events list --agent worker --all --json')).trimEnd().split('\n');
  expect(pages.flatMap((page) => JSON.parse(page))).toHaveLength(rows.length - 1);
  expect((await agp('events list --limit 2')).stderr).toMatch(
    /^showing the first 2; use --limit, --from or --to for others$/m,
  );
  expect((await agp('events list --agent worker --limit 1000')).stderr).toBe('');
  expect((await agp('audit list --action agent.update,key.bootstrap --limit 1')).stderr).toMatch(
    /^showing the first 1; use/,
  );
  await refused('audit list --action key.create,nothing', 2, /Allowed are agent\.update, /);
  await done('costs report --from yesterday --agent worker --by model');
  expect(await readJson('costs report --agent worker --by agent')).toMatchObject({
    usage: [{ agent_name: 'worker', request_count: rows.length - 1 }],
  });
  await refused('costs report --agent nobody', 1, /^No agent is named nobody;/);
  await refused('events list --all', 2, /^--all goes with --csv or --json$/m);
  await refused('events list --csv --json', 2, /^--csv and --json exclude each other$/m);
});

test('an agent is blocked, unblocked and retired by its name or its id', async () => {
  const { id } = await readJson('agents show worker');
  expect(await done('agents block worker')).toBe(`worker (${id}) is blocked\n`);
  expect((await send('worker')).status).toBe(403);
  expect(await readJson(`agents unblock ${id}`)).toMatchObject({ id, status: 'active' });
  expect((await send('worker')).status).toBe(200);
  expect(await readJson(`agents retire ${id}`)).toMatchObject({ id, status: 'retired' });
  expect(await done('agents list --status retired')).toContain(id);
  await done('agents unblock worker');
  await refused('agents block nobody', 1, /^No agent is named nobody; "agents list"/);
  await refused('agents show agt_01k9r3v8w5f2q8m6t4n0x7y1za', 1, /^agent not found; "agents list"/);
});

test('caps and limits are set for agents, for new ones and for all together', async () => {
  expect(await readJson('budgets set worker 12.5 --warn-only')).toMatchObject({ daily_cap_usd: 12.5, warn_only: true });
  expect(await done('budgets show worker')).toMatch(/worker\s+12\.50\s.*warns only/);
  expect(await readJson('budgets show worker')).toMatchObject({ agent_name: 'worker', daily_cap_usd: 12.5 });
  const agent = await done('agents show worker');
  expect(agent).toMatch(/^last seen +20\d\d-\d\d-\d\d [\d:]+Z\nspent in all \(USD\) +0\.\d+, in \d+ requests\n/m);
  expect(agent).toMatch(
    /^spent today \(USD\) +0\.\d+\ncap a day \(USD\) +12\.50 \(warns only\)\nrequests a minute +none$/m,
  );
  await done('budgets set --global 0');
  const full = await send('worker');
  expect(full.status).toBe(429);
  expect(await done('budgets set none --global')).toMatch(/\(all together\)\s+none/);
  expect((await send('worker')).status).toBe(200);
  await done('budgets set --default 3');
  expect(await readJson('budgets show')).toMatchObject({ default_agent_cap_usd: 3, global: { daily_cap_usd: null } });
  await done('budgets set --default none');

  expect(await readJson('limits set worker 100000')).toEqual({ requests_per_minute: 100_000 });
  expect(await done('limits show worker')).toMatch(/worker\s+100,000/);
  await done('limits set --default 7');
  expect(await readJson('limits show')).toMatchObject({ default_requests_per_minute: 7 });
  await done('limits set --default none');
  expect(await readJson('budgets set worker 0.30000000000000004')).toMatchObject({ daily_cap_usd: 0.300000001 });
  expect(await readJson('budgets set worker 1e-12')).toMatchObject({ daily_cap_usd: 1e-9 });
  await done('budgets set worker none');
  for (const wrong of [
    'set worker',
    'set --global worker 5',
    'set worker -5',
    'set worker 9000001',
    'set worker 1e400',
    'set worker NaN',
    'set worker 0x10',
    'set --global --default 5',
  ]) {
    await refused(`budgets ${wrong}`, 2, /./);
  }
});

test('all agents are paused and resumed', async () => {
  expect(await done('pause on --reason drill')).toBe('paused: every agent is refused\n');
  expect((await send('worker')).status).toBe(503);
  const since = expect.any(String);
  const stop = { since, by: 'key bootstrap', reason: 'drill' };
  expect(await readJson('pause status')).toEqual({ paused: true, stop });
  for (const command of ['pause status', 'status'])
    expect(await done(command)).toMatch(/paused since [-\d]+ [\d:]+Z by key bootstrap \(drill\): every agent/i);
  expect(await readJson('pause off')).toEqual({ paused: false });
  expect((await send('worker')).status).toBe(200);
});

test('a key is made, used, rotated and deleted, and its secret is shown once', async () => {
  const made = await done('keys create dash\u001bboard --scopes read --expires 90d');
  const [, id = ''] = /^id +(key_\w+)$/m.exec(made) ?? [];
  const [, secret = ''] = /^secret +(agm_\S+)$/m.exec(made) ?? [];
  expect(await done('keys list')).toContain('dash\\u{1b}board');
  expect(await done('keys list --json')).not.toContain(secret);
  expect(await done('agents list', { AGP_API_KEY: secret })).toContain('worker');
  await refused('agents block worker', 1, /^API key lacks scope write; /, { AGP_API_KEY: secret });

  const rotated = await readJson(`keys rotate ${id} --overlap 600`);
  await done('agents list', { AGP_API_KEY: secret });
  await done('agents list', { AGP_API_KEY: rotated.secret });
  expect(await done(`keys delete ${id}`)).toBe(`${id} is deleted\n`);
  await refused('agents list', 1, /^missing or invalid API key; set AGP_API_KEY/, { AGP_API_KEY: rotated.secret });
  await refused(`keys delete ${id}`, 1, /^key not found/);
  await refused('keys create dashboard', 2, /--scopes/);
  expect(made).toMatch(/^view +the whole installation$/m);
  expect(await done('keys create leads --scopes read --match team=search,env=prod')).toMatch(
    /^view +env=prod, team=search$/m,
  );
  expect(await done('keys list')).toMatch(/^leads +read +env=prod, team=search /m);
  const leads = await readJson('keys create leads --scopes admin --match team=search');
  const asLeads = { AGP_API_KEY: leads.secret };
  expect(await done('agents list', asLeads)).not.toContain('worker');
  expect(await done('status', asLeads)).toContain('of the whole installation');
  for (const command of ['pause on', 'keys list', 'audit verify'])
    await refused(command, 1, /^not of the team .*; use a key of the whole installation/, asLeads);
  for (const word of ['team', '=search', 'team=search,team=ads'])
    await refused(`keys create leads --scopes read --match ${word}`, 2, /--match.* It must /);
  await refused('keys create dashboard --scopes read --expires soon', 2, /span such as 30d/);
});

test('a token is made and revoked, and its name released', async () => {
  const { id, secret } = await readJson('tokens create claimed-one --expires 2999-01-01T00:00:00Z');
  expect((await send('claimed-one')).status).toBe(401);
  expect((await send('claimed-one', { 'x-agent-token': secret })).status).toBe(200);
  expect(await done('tokens list')).toContain(id);
  await refused('names release claimed-one', 1, /^the name still has agent tokens: revoke them first/);
  await done(`tokens revoke ${id}`);
  expect(await done('names list')).toMatch(/claimed-one\s.*\s0\n/);
  expect(await done('names release claimed-one')).toBe('claimed-one is free\n');
  expect((await send('claimed-one')).status).toBe(200);
});

test('colours are for terminals, unless the environment says otherwise', async () => {
  const connection = { AGP_URL: system().management.url, AGP_API_KEY: system().apiKey, FORCE_COLOR: '1' };
  const runs = ['', ' --no-color', ' --json'].map(
    (flag) => startCli(`agents list${flag}`.split(' '), connection).ended,
  );
  const [coloured, plain, json] = (await Promise.all(runs)).map(({ stdout }) => stdout);
  expect(await done('agents list')).not.toContain('\u001b[');
  expect(coloured).toContain('\u001b[32mactive\u001b[');
  for (const output of [plain, json]) {
    expect(output).toContain('active');
    expect(output).not.toContain('\u001b[');
  }
});

test('it finds the running local stack by what was noted, and gives the local key to nobody else', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agp-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const start = (environment: Record<string, string>) =>
    startCli(['agents', 'list', '--json'], { AGP_DATA_DIR: folder, ...environment }, { withLocalStack: true }).ended;
  expect(await start({})).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^No deployment is named: .* set AGP_DATA_DIR as it was set there, .*\n$/),
  });
  writeFileSync(join(folder, 'services.json'), JSON.stringify({ managementUrl: system().management.url }));
  writeFileSync(join(folder, 'secrets.json'), JSON.stringify({ managementApiKey: system().apiKey }));
  expect(await start({})).toMatchObject({ code: 0, stderr: '' });

  const seen: (string | undefined)[] = [];
  const stranger = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(302, { location: `${system().management.url}${request.url}` }).end();
  });
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void stranger.close());
  const url = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`;
  const keyless = await start({ AGP_URL: url });
  expect(keyless).toMatchObject({ code: 1, stderr: expect.stringMatching(/^No API key for .*--key-file.*\n$/) });
  expect(seen).toEqual([]);
  // A redirect would take the key along.
  const redirected = await start({ AGP_URL: url, AGP_API_KEY: 'another-key-that-is-fake' });
  expect(redirected).toMatchObject({ code: 1, stderr: expect.stringMatching(/answered 302/) });
  expect(seen).toEqual(['Bearer another-key-that-is-fake']);
});

test('a key comes from a file too, and what is no key or no address is refused without being repeated', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agp-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'key'), `${system().apiKey}\n`);
  const noKey = { AGP_API_KEY: '', INIT_CWD: folder };
  expect(await done('agents list --key-file key', noKey)).toContain('worker');
  expect(await done('agents list', { ...noKey, AGP_API_KEY_FILE: 'key' })).toContain('worker');
  await refused('agents list --key-file missing', 1, /^--key-file: cannot read /);
  const broken = await agp('agents list', { AGP_API_KEY: 'two\nlines' });
  expect(broken).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(/^AGP_API_KEY must hold one key/) });
  expect(broken.stderr).not.toContain('lines\n');
  await refused('agents list --url ftp://127.0.0.1', 2, /^--url must be a URL/);
  const gone = await startRelay(provider().url);
  await gone[Symbol.asyncDispose]();
  await refused('agents list', 1, /^Nothing answers on http:.*: start it/, { AGP_URL: gone.url });
  await refused('agents list', 1, /without an error of this API/, { AGP_URL: provider().url });
});
