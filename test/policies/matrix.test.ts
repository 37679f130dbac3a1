import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { providerApis } from '@agp/core/operations';
import { startFakeProvider } from '@agp/testing/providers';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSystem } from '../system/start-system.ts';
import type { Names } from './calls.ts';
import { type Case, listCases, rows } from './spellings.ts';

const named: Record<'ok' | 'bad', Names> = {
  ok: { model: 'ok-1', tool: 'ok_tool', hosted: 'ok_hosted', host: 'ok.example', id: 'ok_1' },
  bad: { model: 'bad-1', tool: 'bad_tool', hosted: 'bad_hosted', host: 'bad.example', id: 'bad_1' },
};

const remote_mcp = { hosts: ['ok.example'], connectors: ['ok_*'], tunnels: ['ok_1'] };
const allowing = {
  models: { allow: ['ok-*'] },
  tools: { client: { allow: ['ok*'] }, hosted: { allow: ['ok_hosted'] }, remote_mcp },
};
const denying = {
  models: { deny: ['bad-*'] },
  tools: { client: { deny: ['bad_*'] }, hosted: { deny: ['bad_hosted'] }, remote_mcp },
};
/** Each holds for the agent of its name, and all of them are there at once. */
const policies: Record<string, object> = {
  allowing,
  denying,
  lenient: { ...allowing, unreadable: 'allow' },
  watching: { ...allowing, mode: 'observe' },
};

interface Call extends Case {
  agent: string;
  operation: string;
  isServed: boolean;
  method: string;
}

const denyOperation = (name: string) => `no-${name.toLowerCase()}`;
const operations = [...new Set(rows.map(({ name }) => name))];
for (const name of operations) policies[denyOperation(name)] = { operations: { deny: [name] } };
policies['no-other'] = { operations: { deny: ['other'] } };

const calls: Call[] = rows.flatMap((row) => {
  const { method } = row;
  const toCall = (agent: string, each: Case, isServed: boolean): Call => ({
    ...{ ...each, agent, isServed, method },
    operation: row.name,
  });
  const ofNames = (['ok', 'bad'] as const).flatMap((kind) =>
    listCases(row, named[kind]).map((each) => {
      if (each.is === 'named') return ['allowing', 'denying'].map((agent) => toCall(agent, each, kind === 'ok'));
      if (each.is === 'nothing') return [toCall('allowing', each, true)];
      return [kind === 'ok' ? toCall('lenient', each, true) : toCall('allowing', each, false)];
    }),
  );
  const [first] = listCases(row, named.bad) as [Case];
  const ofOperations = [toCall(denyOperation(row.name), first, false), toCall('no-other', first, true)];
  return [...ofNames.flat(), ...ofOperations, toCall('watching', first, true)];
});

const nameOf = ({ agent, operation, what, wire }: Call) => `${agent}: ${operation} at ${wire.path}, ${what}`;

const atOnce = 16;
const received = new Map<string, number>();
const statuses = new Map<number, string>();

beforeAll(async () => {
  await using provider = await startFakeProvider(({ headers }) => {
    const id = String(headers['x-matrix-call']);
    received.set(id, (received.get(id) ?? 0) + 1);
    return { body: {} };
  });
  // Calls have a member of their own beside what they name.
  const vouched = { base_url: provider.url, harmless_members: ['filler'] };
  const providers = providerApis.map((id) => ({ id, api: id, ...vouched }));
  const folder = mkdtempSync(join(tmpdir(), 'agp-policies-'));
  using _folder = { [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
  const environment = { PROVIDERS_FILE: join(folder, 'providers.json') };
  writeFileSync(environment.PROVIDERS_FILE, JSON.stringify(providers));
  await using system = await startSystem({ environment });
  for (const [name, policy] of Object.entries(policies))
    await system.api('/api/v1/policies', {
      method: 'POST',
      body: JSON.stringify({ mode: 'enforce', name, match: { agents: [name] }, ...policy }),
    });
  const dispatcher = new Agent({ connections: atOnce });
  const send = async (index: number, { agent, method, wire }: Call): Promise<string> => {
    const { statusCode, body } = await request(`${system.proxies[0]?.url}${wire.path}`, {
      dispatcher,
      method: method as 'POST',
      headers: {
        'x-agent-name': agent,
        'x-matrix-call': `${index}`,
        ...(wire.body && { 'content-type': 'application/json' }),
        ...wire.headers,
      },
      ...(wire.body && { body: wire.isChunked ? Readable.from([wire.body]) : wire.body }),
    });
    const text = await body.text();
    return statusCode === 200 ? '200' : `${statusCode} ${text}`;
  };
  const waiting = calls.entries();
  const work = async () => {
    for (const [index, call] of waiting) statuses.set(index, await send(index, call).catch(String));
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  await dispatcher.destroy();
}, 300_000);

afterAll(() => console.log(`${calls.length} calls, ${received.size} served`));

test('none that is denied reaches the provider', () => {
  const denied = calls.map((call, index) => ({ call, index })).filter(({ call }) => !call.isServed);
  expect(denied.filter(({ index }) => received.has(`${index}`)).map(({ call }) => nameOf(call))).toEqual([]);
  const others = denied.filter(({ index }) => !/^403 .*denied by policy/.test(statuses.get(index) ?? ''));
  expect(others.map(({ call, index }) => `${nameOf(call)}: ${statuses.get(index)}`)).toEqual([]);
});

test('none that is allowed is refused', () => {
  const refused = calls.flatMap((call, index) =>
    call.isServed && (received.get(`${index}`) !== 1 || statuses.get(index) !== '200')
      ? [`${nameOf(call)}: ${statuses.get(index)}`]
      : [],
  );
  expect(refused).toEqual([]);
});
