import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorTable } from '@agp/core/errors';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startDemoProvider } from '../../packages/demo-provider/src/start-demo-provider.ts';
import { listDemoProviders } from '../../packages/local-stack/src/start/write-providers-file.ts';
import { readPayloads } from '../system/read-payload.ts';
import { type System, startSystem, waitFor } from '../system/start-system.ts';
import { type BedrockClient, bedrockClients } from './clients/bedrock.ts';

// Clients of Bedrock use the simulated provider through the proxy, as a developer without an account does.
let system: System;
const resources = new AsyncDisposableStack();

beforeAll(async () => {
  const demo = resources.use(await startDemoProvider({ host: '127.0.0.1', port: 0, delayMs: 0 }));
  const folder = mkdtempSync(join(tmpdir(), 'agp-bedrock-'));
  resources.defer(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'providers.json');
  writeFileSync(file, JSON.stringify(listDemoProviders(demo.url)));
  system = await startSystem({ environment: { PROVIDERS_FILE: file } });
  const policy = { name: 'no-models', mode: 'enforce', match: { agents: ['denied *'] }, models: { allow: ['none'] } };
  await system.api('/api/v1/policies', { method: 'POST', body: JSON.stringify(policy) });
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await resources.disposeAsync();
});

/** An agent of its own, named in the path, which every client can do. */
function aim(client: BedrockClient, before = '') {
  const agent = `${before}${client.name} ${randomUUID().slice(0, 8)}`;
  return { agent, baseUrl: `${system.proxies[0]?.url}/agents/${encodeURIComponent(agent)}/demo-bedrock` };
}

interface Agent {
  id: string;
  name: string;
}

const findAgent = async (name: string) => {
  const agents = await system.api<Agent[]>(`/api/v1/agents?search=${encodeURIComponent(name)}`);
  return agents.find((each) => each.name === name) as Agent;
};

interface Listed {
  session_id: string;
}

async function readRecorded(agent: string, requests: number) {
  return waitFor(`${requests} events of ${agent}`, async () => {
    const { id } = (await findAgent(agent)) ?? {};
    const events = id ? await system.api<Listed[]>(`/api/v1/agents/${id}/events`) : [];
    const sessions = new Set(events.map(({ session_id: session }) => session));
    const payloads = (await Promise.all([...sessions].map((each) => readPayloads(system, each)))).flatMap(
      (each) => each ?? [],
    );
    return payloads.length >= requests && payloads;
  });
}

const told = { usage_source: 'provider', outcome: 'completed', http_status: 200 };

describe.concurrent('a text costs what the client was told', () => {
  test.each(bedrockClients)('by $name', async (client) => {
    const { agent, baseUrl } = aim(client);
    const { text, input, output } = await client.ask(baseUrl);
    expect(text).toContain('Here is how I would look at it.');
    const [payload] = await readRecorded(agent, 1);
    expect(payload).toMatchObject({ ...told, model: client.model });
    expect([payload?.prompt_tokens, payload?.completion_tokens]).toEqual([input, output]);
    expect(payload?.cost_usd).toBeGreaterThan(0);
  });
});

describe.concurrent('a stream', () => {
  test.each(bedrockClients)('by $name', async (client) => {
    const { agent, baseUrl } = aim(client);
    const shown: string[] = [];
    await client.stream(baseUrl, (text) => shown.push(text));
    expect(shown.length).toBeGreaterThan(3);
    expect(shown.join('')).toContain('Here is how I would look at it.');
    const [payload] = await readRecorded(agent, 1);
    expect(payload).toMatchObject(told);
    expect(payload?.cost_usd).toBeGreaterThan(0);
  });
});

describe.concurrent('a tool that the model calls', () => {
  test.each(bedrockClients)('by $name', async (client) => {
    const { agent, baseUrl } = aim(client);
    expect(await client.useTool(baseUrl)).toBe('get_temperature');
    const [payload] = await readRecorded(agent, 1);
    expect(payload).toMatchObject(told);
    expect(JSON.stringify(payload)).toContain('get_temperature');
  });
});

const block = (agent: string) =>
  system.database.pool.query("UPDATE agents SET status = 'blocked' WHERE name = $1", [agent]);

describe.concurrent('a stream that is stopped says why', () => {
  const streaming = bedrockClients.filter(({ name }) => !/Mantle|OpenAI/.test(name));
  test.each(streaming)('by $name', async (client) => {
    const { agent, baseUrl } = aim(client);
    let begun = false;
    const streamed = client.stream(baseUrl, () => (begun = true), 'Go on. x-demo-stream-seconds: 60');
    streamed.catch(() => {});
    await waitFor('the first words', async () => begun);
    await system.api(`/api/v1/agents/${(await findAgent(agent)).id}`, {
      method: 'PUT',
      body: JSON.stringify({ status: 'blocked' }),
    });
    await expect(streamed).rejects.toThrow(errorTable.agent_blocked.message);
    const [payload] = await readRecorded(agent, 1);
    expect(payload).toMatchObject({ outcome: 'killed', usage_source: 'estimated' });
    expect(payload?.cost_usd).toBeGreaterThan(0);
  });
});

test('a guardrail costs what its trace tells, whole and streamed, and is marked if it tells nothing', async () => {
  const [client] = bedrockClients as [BedrockClient];
  const { agent, baseUrl } = aim(client);
  const call = async (verb: string, trace: string) => {
    const body = {
      messages: [{ role: 'user', content: [{ text: 'Is it warm?' }] }],
      guardrailConfig: { guardrailIdentifier: 'abc123xyz', guardrailVersion: '1', trace },
    };
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    await (await fetch(`${baseUrl}/model/${encodeURIComponent(client.model)}/${verb}`, init)).arrayBuffer();
  };
  for (const trace of ['enabled', 'disabled'])
    await Promise.all(['converse', 'converse-stream'].map((verb) => call(verb, trace)));
  const all = await readRecorded(agent, 4);
  const isUntold = all.map(({ price_version: version }) => String(version).includes('guardrail_untold_kcount'));
  expect(isUntold.sort()).toEqual([false, false, true, true]);
  const costs = new Set(all.map(({ cost_usd: cost }) => Number(cost)));
  // Two units by two policies at 0.15 USD for a thousand and one at 0.10; without a trace one more at 0.10.
  const [told = 0, untold = 0] = [...costs].sort();
  expect(untold - told).toBeCloseTo(0.0002, 9);
});

describe.concurrent('a refusal says why, and is sent once', () => {
  test.each(bedrockClients)('by $name', async (client) => {
    const { agent, baseUrl } = aim(client);
    await client.ask(baseUrl);
    await block(agent);
    await expect(client.ask(baseUrl)).rejects.toThrow(errorTable.agent_blocked.message);
    await expect(client.stream(baseUrl, () => {})).rejects.toThrow(errorTable.agent_blocked.message);
    const { id } = await findAgent(agent);
    const refusals = await waitFor('both refusals', async () => {
      const found = await system.api<{ reason: string }[]>(`/api/v1/refusals?agent_id=${id}`);
      return found.length >= 2 && found;
    });
    expect(refusals.map(({ reason }) => reason)).toEqual(['agent_blocked', 'agent_blocked']);
  });

  test.each(bedrockClients)('by a policy, by $name', async (client) => {
    const refused = client.ask(aim(client, 'denied ').baseUrl);
    await expect(refused).rejects.toThrow(`denied by policy no-models (rule models): the model ${client.model}`);
  });

  test.each(bedrockClients)('a used-up cap, by $name', async (client) => {
    const { agent, baseUrl } = aim(client);
    await client.ask(baseUrl);
    const { id } = await findAgent(agent);
    await readRecorded(agent, 1);
    await system.api(`/api/v1/budgets/agents/${id}`, {
      method: 'PUT',
      body: JSON.stringify({ daily_cap_usd: 0.0000001 }),
    });
    await expect(client.ask(baseUrl)).rejects.toThrow(errorTable.agent_budget_exceeded.message);
  });
});
