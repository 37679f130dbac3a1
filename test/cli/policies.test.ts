import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../system/start-system.ts';
import { startCli } from './run-cli.ts';
import { useCliSystem } from './start-cli-system.ts';

const { system, send, agp, done, refused, readJson } = useCliSystem();

let folder: string;
const file = (name: string) => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'agp-policies-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a text from standard input is tried with policies of files, and one that is blocked ends with 1', async () => {
  writeFileSync(file('data.txt'), 'name: data\npii: { request: { email: redact }, response: { email: block } }\n');
  const attempt = (...flags: string[]) =>
    startCli(
      ['policies', 'try', '-f', file('data.txt'), ...flags],
      { AGP_URL: system().management.url, AGP_API_KEY: system().apiKey },
      { input: 'to ada@example.com\n' },
    ).ended;
  expect(await attempt()).toMatchObject({ code: 0, stdout: 'data: email 1, redact\nsent:\nto [email xxxxx1]\n\n' });
  const blocked = await attempt('--response', '--json');
  expect([blocked.code, JSON.parse(blocked.stdout)]).toMatchObject([
    1,
    { sent: null, places: [{ start: 3, end: 18 }] },
  ]);
  expect(blocked.stderr).toContain('denied by policy data (rule pii.response): its texts hold email');
  await done(`policies apply -f ${file('data.txt')}`);
  expect(await done('policies explain --agent worker')).toBe(
    'data: matches; not judged, since not given: what its texts hold ("policies try" judges one)\n',
  );
  await done('policies delete data');
  writeFileSync(file('place.txt'), 'name: place\nmode: enforce\nwhere: { geo: [eu] }\n');
  await done(`policies apply -f ${file('place.txt')}`);
  const explain = (model: string) => done(`policies explain --agent worker --model ${model}`);
  expect(await explain('eu.anthropic.claude-opus-5')).toContain(
    'place: matches; not judged, since not given: whether the region that is called is in eu\n',
  );
  expect(await explain('us.anthropic.claude-opus-5')).toContain('it is processed in us, allowed is eu');
  expect(await explain('global.anthropic.claude-opus-5')).toContain('it is not sure where it is processed');
  expect(await explain('anthropic.claude-opus-5')).toContain('not judged, since not given: where it goes\n');
  const hidden = 'arn:aws:bedrock:eu-central-1:123456789012:application-inference-profile/a1b2';
  for (const noun of ['policies', 'budgets'])
    expect((await agp(`${noun} explain --agent worker --model ${hidden}`)).stderr).toContain('ask for ARN#MODEL');
  expect(await explain(`${hidden}#us.anthropic.claude-opus-5`)).toContain('it is processed in us, allowed is eu');
  await done('policies delete place');
});

test('policies go from files to the next request and back, as kubectl would do it', async () => {
  writeFileSync(
    file('all.yaml'),
    `# Two of them.
name: interns
match: { labels: { team: [interns] } }
models: { allow: [gpt-5-mini] }
refusal: "Ask #ai-gov ({rule})"
---
name: no-mcp
mode: enforce
tools: { remote_mcp: {} }
`,
  );
  await done('agents label worker team=interns');
  // An event has the labels that its agent had.
  for (let index = 0; index < 4; index += 1) await send('worker');
  await waitFor('their events', async () => (await system().api<unknown[]>('/api/v1/events')).length === 8);
  const dry = await done(`policies apply -f ${folder} --dry-run`);
  expect(dry).toBe('policy interns created (dry run)\npolicy no-mcp created (dry run)\n');
  expect(await done('policies list')).toBe('');
  writeFileSync(file('typo'), 'name: typo\nmatch: { agents: [worker, wroker] }\noperations: { deny: [image] }\n');
  expect((await agp(`policies apply -f ${file('typo')} --dry-run`)).stderr).toMatch(
    /^warning: typo: no operation is named image\nwarning: no agent that was seen is named wroker: misspelt\?\n$/m,
  );
  expect(await done(`policies preview -f ${file('all.yaml')} --from 1h`)).toMatch(
    /^would have refused, changed or cut 4 of 8 requests, of 1 agents \(\S+ \S+Z to \S+ \S+Z\)\nby rule: interns models 4\nby agent: worker 4\nby model: gpt-4o 4\n(by day: \d{4}-\d\d-\d\d \d, most at \d\d:00 \(\d\)\n)+examples:\n/,
  );
  const differ = await agp(`policies diff -f ${folder}`);
  expect([differ.code, differ.stdout]).toEqual([1, expect.stringMatching(/^\+name: interns$/m)]);
  expect(await done(`policies apply -f ${folder} --reason start`)).toBe(
    'policy interns created\npolicy no-mcp created\n',
  );
  expect(await done(`policies apply -f ${folder}`)).toBe('policy interns unchanged\npolicy no-mcp unchanged\n');
  expect(await done(`policies diff -f ${folder}`)).toBe('');

  expect((await send('worker')).status).toBe(200);
  expect(await done('policies explain --agent worker --model gpt-4o')).toBe(
    'interns: would refuse it (rule models): the model gpt-4o is not allowed\nno-mcp: matches; not judged, since not given: --mcp-host\n',
  );
  expect(await done('policies explain --agent worker --model gpt-5-mini')).toContain(
    'interns: matches, and lets it pass\n',
  );
  expect(await done('policies mode interns enforce --reason tried')).toMatch(/^interns +enforce +team interns/m);
  expect((await send('worker')).status).toBe(403);
  await waitFor('the refusal', async () =>
    (await done('refusals')).includes('policy_denied (interns models: the model gpt-4o is not allowed)'),
  );
  expect(await done('events list --limit 1')).toContain('gpt-4o');
  await waitFor('both hits', async () => /^interns +enforce +team interns +1 +1 /m.test(await done('policies list')));
  const hits = await done('policies hits interns');
  expect(hits).toMatch(
    /^refused 1 request since .* UTC\nnoted 1 request: events list --policy interns --from \S+:00\.000Z\nby day: \S+ 1\nby team: interns 1, of 1 agent\n$/,
  );
  const [, listing = ''] = /^noted 1 request: (.*)$/m.exec(hits) ?? [];
  expect(await readJson(listing)).toHaveLength(1);

  await refused('policies except interns --agent worker', 2, /^give --agent or --label, --until and --reason/);
  expect(await done('policies except interns --agent worker --rule models --until 1h --reason trial')).toMatch(
    /^1: agent worker, of models, until .* \(made by bootstrap\): trial\n$/,
  );
  expect((await send('worker')).status).toBe(200);
  expect(await done('policies explain --agent worker --model gpt-4o')).toMatch(
    /^interns: lets it pass by an exception until .*Z \(rule models\): /,
  );
  expect(await done('policies show interns')).toMatch(/\n# exception 1: agent worker, of models, until/);
  const unseen = await agp('policies except interns --agent worker wroker --label team=x --until 1h --reason trial');
  expect(unseen.stderr).toBe(
    'warning: no agent that was seen is named wroker: misspelt?\nwarning: no agent that was seen has the label team=x: misspelt?\n' +
      'if a file has this policy: write it into the file too, or the next apply ends it\n',
  );
  await done('policies except interns --end 2');
  expect(await done(`policies apply -f ${folder} --dry-run`)).toMatch(
    /^policy interns configured, mode enforce -> observe, ends 1 exception \(agent worker, of models, until \S+ \S+Z\) \(dry run\)$/m,
  );
  await refused('policies except interns --end 2', 2, /^--end must be one of the 1 exceptions/);
  expect(await done('policies except interns --end 1')).toBe('there are no exceptions\n');
  expect((await send('worker')).status).toBe(403);

  expect(await done(`policies apply -f ${folder} --dry-run`)).toContain(
    'policy interns configured, mode enforce -> observe (dry run)\n',
  );
  const exported = file('exported');
  await done(`policies export --dir ${exported}`);
  const interns = readFileSync(join(exported, 'interns.yaml'), 'utf8');
  expect(interns).toMatch(/^# Two of them\.\nname: interns\n[\s\S]*\nmode: enforce\n$/);
  expect(await done('policies show interns')).toBe(interns);
  rmSync(join(exported, 'no-mcp.yaml'));
  expect(await done(`policies apply -f ${exported} --prune`)).toBe('policy interns unchanged\npolicy no-mcp deleted\n');
  expect(await done('policies delete interns')).toBe('policy interns deleted\n');
  expect((await send('worker')).status).toBe(200);
  const ofUpdate = 'audit list --action policy.update';
  expect(await done(`${ofUpdate} --actor bootstrap`)).toMatch(/policy\.update +interns \(pol_\w{4}…\w{4}\) /);
  expect(await readJson(`${ofUpdate} --actor nobody`)).toEqual([]);
});

test('a fault names file, line and field, and nothing is changed', async () => {
  writeFileSync(file('bad.yaml'), 'name: fine\n---\nname: bad\nmodels: { allow: ["gpt-*-mini"] }\nlimit: {}\n');
  const { code, stderr } = await agp(`policies apply -f ${file('bad.yaml')}`);
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/bad\.yaml:4: models\.allow\.0: .*\n.*bad\.yaml:5: limit: no such member here/),
  ]);
  await refused('policies apply -f /nowhere.yaml', 2, /^\/nowhere\.yaml: ENOENT/);
  await refused('policies show nobody', 1, /^no policy is named nobody; "policies list" shows all policies/);
  expect(await done('policies list')).toBe('');
});

test('several files count all, and prune leaves what any of them names', async () => {
  const names = ['first', 'second', 'third'];
  for (const name of names) writeFileSync(file(`${name}.yaml`), `name: ${name}\nmodels: { deny: [gpt-4*] }\n`);
  const [first, second, third] = names.map((name) => file(`${name}.yaml`));
  expect(await done(`policies apply -f ${first} -f ${second} ${third} -f ${first}`)).toBe(
    'policy first created\npolicy second created\npolicy third created\n',
  );
  expect(await done(`policies apply -f ${first} -f ${second} --prune --dry-run`)).toBe(
    'policy first unchanged (dry run)\npolicy second unchanged (dry run)\npolicy third deleted (dry run)\n',
  );
  for (const command of ['events list --model a --model b', 'budgets set worker 1 --reason a --reason b'])
    await refused(command, 2, /^error: option '--\w+ <\w+>' is given more than once/);
  expect(await done(`policies apply -f ${first} --prune`)).toContain('policy third deleted\n');
  await done('policies delete first');
});
