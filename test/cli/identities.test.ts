import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCli } from './run-cli.ts';
import { useCliSystem } from './start-cli-system.ts';

const { system, agp, done, refused, readJson } = useCliSystem();

let folder: string;
let sign: (claims: JWTPayload) => Promise<string>;
const write = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
/** Runs `identities try` with a token at its standard input. */
const attempt = (input: string, ...flags: string[]) =>
  startCli(
    ['identities', 'try', ...flags],
    { AGP_URL: system().management.url, AGP_API_KEY: system().apiKey },
    { input },
  ).ended;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'agp-identities-'));
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const key = JSON.stringify({ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256' });
  write(
    'ci.yaml',
    `name: ci # of the build\nissuer: https://ci.test\naudiences: [agp]\nkeys: { jwks: { keys: [${key}] } }\n` +
      'rules:\n  - name: main\n    match: { ref: [refs/heads/main] }\n    agent: ci.{sub}\n    labels: { team: "{team}" }\n',
  );
  sign = (claims) =>
    new SignJWT({ iss: 'https://ci.test', aud: 'agp', ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
      .setExpirationTime('10m')
      .sign(privateKey);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('issuers go from files to storage and back, with their comments', async () => {
  const file = join(folder, 'ci.yaml');
  expect(await done(`identities apply -f ${file} --dry-run`)).toBe('identity ci created (dry run)\n');
  expect(await done(`identities apply -f ${file}`)).toBe('identity ci created\n');
  expect(await done(`identities apply -f ${file}`)).toBe('identity ci unchanged\n');
  expect(await done('identities list')).toMatch(/^ci +https:\/\/ci\.test +agp +main +1 /m);
  expect(await done('identities show ci')).toMatch(/^name: ci # of the build\n/);
  const changed = write('changed.yaml', (await done('identities show ci')).replace('[agp]', '[agp, sts]'));
  expect(await agp(`identities diff -f ${changed}`)).toMatchObject({ code: 1, stdout: /^\+audiences: \[agp, sts\]$/m });
  expect(await done(`identities apply -f ${changed}`)).toBe('identity ci configured, audiences\n');
  write('bad.yaml', (await done('identities show ci')).replace('name: ci', 'algorithms: [none]\nname: ci'));
  await refused(`identities apply -f ${folder}/bad.yaml`, 2, /bad\.yaml:1: algorithms\.0: must be one of RS256, /);
  write('same.yaml', (await done('identities show ci')).replace('name: ci', 'name: other'));
  await refused(`identities apply -f ${folder}/same.yaml`, 1, /^identity other: issuer: another identity has it\n$/);
  await refused('identities show nobody', 1, /^no identity is named nobody; "identities list" shows all identities\n$/);
});

test('a token is tried from standard input, and one that would be refused ends with 1', async () => {
  const token = await sign({ sub: 'worker', ref: 'refs/heads/main', team: 'build' });
  const run = await attempt(`${token}\n`);
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(run.stdout).toMatch(
    /^issuer +ci\nrule +main\nagent +ci\.worker \(made by its first request\)\nlabels +team=build\n/,
  );
  const other = await attempt(await sign({ sub: 'worker', ref: 'secret' }), '--json');
  expect(JSON.parse(other.stdout)).toMatchObject({ passes: false, identity: 'ci', agent: null });
  expect(other).toMatchObject({
    code: 1,
    stderr: 'It would be refused: no rule of ci holds: main: claim ref does not match\n',
  });
  expect(await attempt('x'.repeat(20_000))).toMatchObject({ code: 2, stderr: /^the token is longer than 16384 bytes/ });
});

test('a token is exchanged at the proxy, and listed and revoked as others', async () => {
  const proxy = system().proxies[0]?.url ?? '';
  const file = write('token', await sign({ sub: 'exchanger', ref: 'refs/heads/main', team: 'build' }));
  const secret = await done(`token --file ${file} --exchange ${proxy}/`);
  expect(secret).toMatch(/^agp_[\w-]{43}\n$/);
  const send = () => fetch(`${proxy}/openai/v1/models`, { headers: { 'x-agent-token': secret.trim() } });
  expect((await send()).headers.get('x-agent-id')).not.toBeNull();
  const listed = await readJson('tokens list');
  const { id } = listed.find((token: { identity: string | null }) => token.identity === 'ci');
  expect(await done('tokens list')).toMatch(/^ci\.exchanger +ci /m);
  await done(`tokens revoke ${id}`);
  expect((await send()).status).toBe(401);
  write('token', await sign({ sub: 'exchanger', ref: 'secret' }));
  const why = /\/oauth\/token answered 400: invalid_request: no rule of ci holds: main: claim ref does not match\n$/;
  await refused(`token --file ${file} --exchange ${proxy}`, 1, why);
  await refused(`token --file ${file} --exchange ${system().management.url}`, 1, /answered \d+: /);
});

test('an agent that worked by its name is adopted, with its history', async () => {
  const adopt = 'agents adopt worker --identity ci --as ci.worker';
  await refused('agents adopt worker --identity none --as ci.worker', 1, /^identity not found; "identities list"/);
  const before = await readJson('agents show worker');
  expect(await done(`${adopt} --reason moved`)).toBe('worker is the workload ci.worker of ci\n');
  expect(await readJson('agents show worker')).toMatchObject({ id: before.id, name: 'worker' });
  expect(await done('agents show worker')).toMatch(/^workload +ci\.worker of ci$/m);
  expect(await done('names list')).toMatch(/^ci\.worker .* ci +0$/m);
  await refused(adopt, 1, /^the agent is ci\.worker of ci already\n$/);
  const token = await sign({ sub: 'worker', ref: 'refs/heads/main', team: 'build' });
  expect((await attempt(token)).stdout).toContain(`ci.worker (${before.id})`);
  expect(await done('identities delete ci')).toBe('identity ci deleted\n');
  expect(await done('agents show worker')).toMatch(/^workload +ci\.worker of an issuer that is gone$/m);
});
