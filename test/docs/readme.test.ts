import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDemoProvider } from '../../packages/demo-provider/src/start-demo-provider.ts';
import { runDemo, turnCount } from '../../packages/local-stack/src/demo/run-demo.ts';
import { listDemoProviders } from '../../packages/local-stack/src/start/write-providers-file.ts';
import { type System, startSystem, waitFor } from '../system/start-system.ts';
import { readSnippets } from './read-snippets.ts';
import { runSnippet } from './run-snippet.ts';

let system: System;
const providers = new AsyncDisposableStack();

beforeAll(async () => {
  const demo = providers.use(await startDemoProvider({ host: '127.0.0.1', port: 0, delayMs: 1 }));
  const folder = mkdtempSync(join(tmpdir(), 'agp-readme-'));
  providers.defer(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'providers.json');
  writeFileSync(file, JSON.stringify(listDemoProviders(demo.url)));
  system = await startSystem({ environment: { PROVIDERS_FILE: file } });
});

afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await providers.disposeAsync();
});

function proxyUrl(): string {
  return system.proxies[0]?.url ?? '';
}

interface ShownAgent {
  id: string;
  name: string;
}

const snippets = readSnippets('README.md', 'js').map((snippet) => ({
  snippet,
  client: /from '([^']+)'/.exec(snippet)?.[1] ?? '',
  agent: /'X-Agent-Name': '([^']+)'/.exec(snippet)?.[1] ?? '',
}));

test('the README has a snippet for each official client', () => {
  expect(snippets.map(({ client }) => client)).toEqual(['openai', '@anthropic-ai/sdk', '@google/genai']);
});

test.each(snippets)(
  'the README’s snippet for $client answers, and is recorded for $agent',
  async ({ snippet, agent }) => {
    const { code, stdout, stderr } = await runSnippet(snippet, proxyUrl());
    expect(code, stderr).toBe(0);
    expect(stdout.length).toBeGreaterThan(10);
    const agents = await system.api<ShownAgent[]>('/api/v1/agents');
    const id = agents.find(({ name }) => name === agent)?.id;
    const events = await waitFor('the event', async () => {
      const found = await system.api<{ completion_tokens: number }[]>(`/api/v1/agents/${id}/events`);
      return found.length > 0 && found;
    });
    expect(events).toHaveLength(1);
    expect(events[0]?.completion_tokens).toBeGreaterThan(0);
  },
);

test('a tool that has only a base URL names its agent in the path', async () => {
  const response = await fetch(`${proxyUrl()}/agents/my-editor/demo/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'gpt-5-mini', messages: [{ role: 'user', content: 'Hello' }] }),
  });
  expect(response.status).toBe(200);
  const agent = await system.api<ShownAgent>(`/api/v1/agents/${response.headers.get('x-agent-id')}`);
  expect(agent.name).toBe('my-editor');
});

test('the demo sends all of its conversations, and finds each answer recorded and priced', async () => {
  const config = { proxyUrl: proxyUrl(), managementUrl: system.management.url, managementKey: system.apiKey };
  let turns = 0;
  const { sent, costs } = await runDemo(config, () => {
    turns += 1;
  });
  expect([turns, sent.length]).toEqual([turnCount, turnCount]);
  expect(costs.map(({ agent_name }) => agent_name).sort()).toEqual([
    'contract-reader',
    'release-notes',
    'support-triage',
    'warehouse-planner',
  ]);
  expect(costs.reduce((sum, { request_count }) => sum + request_count, 0)).toBe(turnCount);
  expect(costs.filter(({ total_cost_usd }) => total_cost_usd <= 0)).toEqual([]);
});
