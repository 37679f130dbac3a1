import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Agent } from '@agp/core/contracts';
import type { Asked, EventTool, EventTools } from '@agp/core/events';
import type { Preview, StoredPolicy } from '@agp/policy';
import { type FakeProvider, startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { headRules } from '../../packages/policy/src/rules.ts';
import { type Case, type CaseCall, labelsOf, listCases } from '../../packages/policy/test/cases.ts';
import { runCli } from '../cli/run-cli.ts';
import { type System, startSystem, waitFor } from '../system/start-system.ts';

const cases = listCases();
const folder = mkdtempSync(join(tmpdir(), 'agp-cases-'));
let provider: FakeProvider;
let system: System;

interface Recorded {
  timestamp: Date;
  asked: Asked;
  tools: EventTools | null;
}

/** What was recorded of calls that were sent while there was no policy. */
const recorded = new Map<CaseCall, Recorded>();
let served = 0;

beforeAll(async () => {
  provider = await startFakeProvider(() => ({ body: {} }));
  const file = join(folder, 'providers.json');
  const at = { api: 'openai', base_url: provider.url };
  const providers = [
    ...['openai', 'other'].map((id) => ({ ...at, id })),
    { ...at, id: 'eu', geo: 'eu' },
    { ...at, id: 'anthropic', api: 'anthropic', geo: 'eu' },
    { ...at, id: 'gemini', api: 'gemini' },
    { ...at, id: 'bedrock', api: 'bedrock' },
    { ...at, id: 'moved', base_url: 'https://llm.example', geo: 'eu' },
  ];
  writeFileSync(file, JSON.stringify(providers));
  system = await startSystem({ environment: { PROVIDERS_FILE: file, PROVIDER_MOVED_URL: provider.url } });
  const calls = cases.flatMap((each) => each.calls.filter((call) => isSent(each, call)));
  const agents = new Map(cases.flatMap((each) => each.calls).map((call) => [call.agent, call]));
  for (const [name, call] of agents) {
    await send(call);
    await waitFor('the agent', async () => (await findAgent(name)) !== undefined);
    const path = `/api/v1/agents/${(await findAgent(name))?.id}`;
    const labels = labelsOf(call);
    if (Object.keys(labels).length > 0) await system.api(path, { method: 'PUT', body: JSON.stringify({ labels }) });
  }
  const begun = new Date();
  for (const call of calls) expect((await send(call)).status, JSON.stringify(call)).toBe(200);
  const read = async () => {
    const select = 'SELECT timestamp, asked, tools FROM events WHERE timestamp >= $1 ORDER BY timestamp';
    return (await system.database.pool.query(select, [begun])).rows;
  };
  await waitFor('the events', async () => (await read()).length === calls.length);
  for (const [index, event] of (await read()).entries()) recorded.set(calls[index] as CaseCall, event);
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await provider?.stop();
  rmSync(folder, { recursive: true });
});

const findAgent = async (name: string) =>
  (await system.api<Agent[]>('/api/v1/agents')).find((each) => each.name === name);

/** Whether a client can send it at any time, so that it says just this. */
const isSent = ({ parsed }: Case, { sent, at, nano_usd, models, tools, output_tokens, input_bytes }: CaseCall) =>
  at === undefined &&
  (sent !== undefined ||
    (nano_usd === undefined &&
      models?.[0] !== undefined &&
      tools?.every(({ names }) => names.length === 1) &&
      ![output_tokens, input_bytes].includes(null) &&
      parsed.every(({ where, require }) => (where ?? require) === undefined)));

function toTool({ kind, names: [name = ''] }: EventTool) {
  // Chat and Responses write it in their own way.
  if (kind === 'client') return { type: 'function', name, function: { name } };
  return kind === 'hosted' ? { type: name } : { type: 'mcp', server_url: `https://${name}/mcp` };
}

/** The body of a call that is told by what rules ask of it, of just its size. */
function writeBody({ operation, models, tools, output_tokens, input_bytes }: CaseCall): string {
  const [model] = models ?? [];
  const named = { model, ...(models && models.length > 1 && { models }), tools: tools?.map(toTool) };
  const write = (content: string) =>
    JSON.stringify(
      operation === 'responses'
        ? { ...named, max_output_tokens: output_tokens, input: content }
        : { ...named, max_tokens: output_tokens, messages: [{ role: 'user', content }] },
    );
  return write('x'.repeat(Math.max(0, (input_bytes ?? 0) - write('').length)));
}

/** The body of a call as it is sent; undefined for none. */
function packBody(call: CaseCall): string | Buffer | undefined {
  const { body, encoding = '' } = call.sent ?? { body: writeBody(call) };
  const text = typeof body === 'string' ? body : JSON.stringify(body)?.replace('{30 KB}', 'x'.repeat(30_000));
  const times = encoding.split('gzip').length - 1;
  return Array.from({ length: times }).reduce<string | Buffer | undefined>(
    (packed) => packed && gzipSync(packed),
    text,
  );
}

async function send(call: CaseCall) {
  const { provider: id, agent, tag, operation, sent } = call;
  const path = sent?.path ?? (operation === 'responses' ? '/v1/responses' : '/v1/chat/completions');
  const body = packBody(call);
  const response = await fetch(`${system.proxies[0]?.url}/${id}${path}`, {
    headers: {
      ...{ 'x-agent-name': agent, 'x-compliance-tag': tag, 'x-session-id': `ses_${agent}_${tag}` },
      ...(body && { 'content-type': 'application/json' }),
      ...(sent?.encoding && { 'content-encoding': sent.encoding }),
      ...sent?.headers,
    },
    ...(body && { method: 'POST', body }),
  });
  if (response.ok) served += 1;
  return { status: response.status, text: (await response.text()).replaceAll('\\', '') };
}

const plain = (finds: readonly string[]) => finds.map((rule) => rule.replace(/ unread$/, '')).sort();
const listTold = (text: string) =>
  [...text.matchAll(/by policy (\S+) \(rule (\S+)\)/g)].map(([, p, rule]) => `${p} ${rule}`);

/** A head is judged before there is a body. */
function listRefusing(finds: readonly string[]): string[] {
  const refusing = plain(finds.filter((rule) => !rule.endsWith(' excepted')));
  const ofHead = refusing.filter((rule) => headRules.some(({ name }) => rule.endsWith(` ${name}`)));
  return ofHead.length > 0 ? ofHead : refusing;
}

/** What `agp policies explain` is told of a call; null if no options tell it. */
function toOptions({ parsed }: Case, call: CaseCall): string[] | null {
  const { agent, tag, provider, operation, at, models, tools, output_tokens, input_bytes, nano_usd } = call;
  const byKind = Map.groupBy(tools ?? [], ({ kind }) => kind);
  const isTold =
    ![operation, models, tools, output_tokens, input_bytes].includes(null) &&
    nano_usd === undefined &&
    (models?.length ?? 0) < 2 &&
    [...byKind].every(([kind, each]) => each.length === 1 && each[0]?.names.length === 1 && kind !== 'connector') &&
    parsed.every(({ where, require }) => (where ?? require) === undefined);
  if (!isTold) return null;
  const names = { client: '--tool', hosted: '--hosted-tool', remote_mcp: '--mcp-host' };
  return [
    ...['--agent', agent, '--tag', tag, '--provider', provider, '--operation', `${operation}`],
    ...(models ?? []).flatMap((model) => ['--model', model]),
    ...Object.entries(names).flatMap(([kind, option]) =>
      (byKind.get(kind as 'client') ?? []).flatMap((tool) => [option, tool.names[0] ?? '']),
    ),
    ...(output_tokens ? ['--output-tokens', `${output_tokens}`] : []),
    ...['--input-bytes', `${input_bytes}`, ...(at ? ['--at', at] : [])],
  ];
}

async function explain(options: readonly string[]): Promise<string[]> {
  const connection = { AGP_URL: system.management.url, AGP_API_KEY: system.apiKey };
  const { code, stdout } = await runCli(['policies', 'explain', ...options], connection);
  expect(code).toBe(0);
  const lines = stdout.matchAll(/^(\S+): (refuses it|lets it pass by an exception until \S+) \(rule (\S+)\)/gm);
  return [...lines].map(([, name, verb, rule]) => `${name} ${rule}${verb === 'refuses it' ? '' : ' excepted'}`);
}

const post = <Answer>(path: string, body: object) =>
  system.api<Answer>(path, { method: 'POST', body: JSON.stringify(body) });

test.each(cases)('$name', async (each) => {
  const ids: string[] = [];
  try {
    for (const policy of each.policies) ids.push((await post<StoredPolicy>('/api/v1/policies', policy)).id);
    for (const call of each.calls) {
      const options = toOptions(each, call);
      if (options !== null) expect(plain(await explain(options)), options.join(' ')).toEqual(plain(call.finds));
      if (!recorded.has(call)) continue;
      const { status, text } = await send(call);
      const refusing = listRefusing(call.finds);
      const told = { call, status, rules: listTold(text).sort() };
      expect(told).toEqual({ call, status: refusing.length > 0 ? 403 : 200, rules: refusing });
      if (call.why !== undefined) expect(text).toContain(call.why);
    }
  } finally {
    // No case sees the policies of another.
    const headers = { authorization: `Bearer ${system.apiKey}` };
    for (const id of ids) await fetch(`${system.management.url}/api/v1/policies/${id}`, { method: 'DELETE', headers });
  }
});

test.each(cases)('a preview says so of what was recorded: $name', async ({ policies, parsed, calls, preview }) => {
  // It tries policies whatever their end.
  if (parsed.some(({ until }) => until !== undefined)) return;
  const ask = (first: Date, last: Date) => {
    const to = new Date(last.getTime() + 1).toISOString();
    return post<Preview>('/api/v1/policies/preview', { policies, from: first.toISOString(), to });
  };
  const sent = calls.filter((call) => recorded.has(call) && call.not_recorded === undefined);
  const times: Date[] = [];
  for (const call of sent) {
    const { timestamp, asked, tools } = recorded.get(call) as Recorded;
    times.push(timestamp);
    const { requests, by, cannot_tell } = await ask(timestamp, timestamp);
    expect(requests).toBe(1);
    const said = [...by.rule.map(({ name }) => name), ...cannot_tell.map(({ rule }) => rule)];
    const expected = plain(call.finds.filter((rule) => !rule.endsWith(' excepted')));
    expect(said.sort(), JSON.stringify({ call, asked, tools })).toEqual(expected);
    const { geo, stores, guardrail, models, output_tokens, input_bytes } = call;
    expect(asked).toMatchObject({
      ...(geo !== undefined && { geo }),
      ...(stores !== undefined && { stores }),
      ...(guardrail !== undefined && { guardrail }),
      ...(call.sent === undefined && { models, output_tokens, input_bytes }),
    });
    if (call.sent === undefined) expect(tools?.declared ?? []).toEqual(call.tools);
  }
  const [first, last] = [times[0], times.at(-1)];
  if (preview && first && last) expect(await ask(first, last)).toMatchObject(preview);
});

test('no event tells of a call that was refused', async () => {
  const count = async () => (await system.database.pool.query('SELECT count(*)::integer FROM events')).rows[0]?.count;
  await waitFor('events of what was served', async () => (await count()) === served);
});

test('most calls are sent, and most are explained', () => {
  const count = (isRead: typeof isSent) =>
    cases.flatMap((each) => each.calls.filter((call) => isRead(each, call))).length;
  expect([count(isSent), count((...given) => toOptions(...given) !== null)].filter((read) => read < 100)).toEqual([]);
});
