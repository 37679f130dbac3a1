import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CodingAgent } from '@agp/testing';
import {
  answerCanned,
  type CannedToolCall,
  type FakeProvider,
  type Handler,
  startFakeProvider,
} from '@agp/testing/providers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readMetric } from '../system/read-metric.ts';
import { type System, startSystem, waitFor } from '../system/start-system.ts';
import { configure, needCodingAgents, runCodingAgent, type Setup } from './clients/coding-agents.ts';
import { type Expected, figures, gpt5, opus } from './sdks/cases.ts';

const secret = 'The password is swordfish.';

interface Case {
  name: string;
  program: CodingAgent;
  setup: Setup;
  expected: Expected;
  /** Reads the file `note.txt` of the folder where the agent works. */
  call: (workFolder: string) => CannedToolCall;
  args(prompt: string): string[];
  /** The tool by which it reads the file, and what it shows of an answer that was ended before it called that, and how often it asks. */
  tool: string;
  ended: { words: string; requests: number };
  /** What it shows of a refusal, and how often it asks in all. */
  refused: Record<'blocked' | 'capped' | 'paused', { words: string; requests: number }>;
}

/** Opus at its list price. */
const ofBedrock = 'global.anthropic.claude-opus-4-5-20251101-v1:0';

const claude: Omit<Case, 'name' | 'setup' | 'expected' | 'args'> = {
  program: 'claude',
  call: (workFolder) => ({
    id: 'toolu_1',
    name: 'Read',
    arguments: JSON.stringify({ file_path: join(workFolder, 'note.txt') }),
  }),
  tool: 'Read',
  // It asks again without streaming.
  ended: { words: 'governance proxy: denied by policy no-reading', requests: 2 },
  refused: {
    blocked: { words: 'API Error: 403 governance proxy: agent blocked', requests: 1 },
    capped: { words: 'daily budget exceeded: cap 0 USD', requests: 1 },
    paused: { words: 'Repeated 529 Overloaded errors', requests: 3 },
  },
};

const agents: Case[] = [
  {
    name: 'Codex',
    program: 'codex',
    setup: 'codex',
    expected: gpt5,
    call: () => ({ id: 'call_1', name: 'exec_command', arguments: JSON.stringify({ cmd: 'cat note.txt' }) }),
    tool: 'exec_command',
    ended: { words: 'governance proxy: denied by policy no-reading', requests: 1 },
    args: (prompt) => ['exec', '--skip-git-repo-check', prompt],
    refused: {
      blocked: { words: 'unexpected status 403 Forbidden: governance proxy: agent blocked', requests: 6 },
      // It has its own words for OpenAI's `insufficient_quota`.
      capped: { words: 'Quota exceeded. Check your plan and billing details.', requests: 1 },
      paused: {
        words: 'unexpected status 503 Service Unavailable: governance proxy: paused by operator',
        requests: 30,
      },
    },
  },
  {
    ...claude,
    name: 'Claude Code',
    setup: 'claude',
    expected: opus,
    args: (prompt) => ['-p', prompt, '--model', opus.model, '--allowedTools', 'Read'],
  },
  {
    ...claude,
    name: 'Claude Code on Bedrock',
    setup: 'bedrock',
    expected: { ...opus, model: ofBedrock },
    ended: { ...claude.ended, requests: 5 },
    // A 403 it takes for credentials that have ended, and asks twice again each time.
    refused: {
      blocked: { words: 'API Error: 403 governance proxy: agent blocked', requests: 5 },
      capped: { words: 'API Error: 400 governance proxy: daily budget exceeded: cap 0 USD', requests: 2 },
      paused: { words: 'API Error: 503 governance proxy: paused by operator', requests: 6 },
    },
    args: (prompt) => ['-p', prompt, '--model', ofBedrock, '--allowedTools', 'Read'],
  },
];

needCodingAgents();

describe('coding agents', () => {
  let fake: FakeProvider;
  let system: System;
  let home: string;

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'agp-coding-'));
    writeFileSync(join(home, 'note.txt'), secret);
    const toolCalls = { codex: agents[0]?.call(home), claude: agents[1]?.call(home) };
    const handle: Handler = (request, index) => {
      const body = request.body.toString('utf8');
      const call = request.target.includes('/responses') ? toolCalls.codex : toolCalls.claude;
      const isAsked = body.includes('Read the note') && !body.includes(secret);
      return answerCanned({ ...figures, ...(isAsked && call ? { words: [], toolCalls: [call] } : {}) })(request, index);
    };
    fake = await startFakeProvider((request, index) =>
      request.method === 'POST' ? handle(request, index) : { status: 404, body: {} },
    );
    const providers = ['OPENAI', 'ANTHROPIC', 'BEDROCK'].map((id) => [`PROVIDER_${id}_URL`, fake.url]);
    system = await startSystem({ environment: Object.fromEntries(providers) });
  });
  afterAll(async () => {
    await system?.[Symbol.asyncDispose]();
    await fake?.stop();
    if (home) rmSync(home, { recursive: true, force: true });
  });

  async function run({ program, setup, args }: Case, prompt: string, agent: string) {
    const environment = configure[setup](system.proxies[0]?.url ?? '', home, agent);
    const { code, shown, errors } = await runCodingAgent(program, args(prompt), home, environment);
    return { code, output: shown + errors };
  }

  async function readEvents(agent: string, count: number): Promise<Record<string, unknown>[]> {
    return waitFor(`${count} events of ${agent}`, async () => {
      const { rows } = await system.database.pool.query<{ payload: string }>(
        'SELECT payload FROM events JOIN agents ON agents.id = events.agent_id WHERE agents.name = $1 ORDER BY seq',
        [agent],
      );
      return rows.length >= count && rows.map(({ payload }) => JSON.parse(payload));
    });
  }

  const setPause = (paused: boolean) =>
    system.api('/api/v1/pause', { method: 'PUT', body: JSON.stringify({ paused }) });

  /** How many requests were refused so far. */
  const countRefusals = (code: string) => readMetric(system.proxies[0], `agp_proxy_refusals_total{code="${code}"}`);

  describe.each(agents)('$name', (agent) => {
    const { model, prompt, completion, nano } = agent.expected;
    const told = {
      model,
      prompt_tokens: prompt,
      completion_tokens: completion,
      cost_usd: nano / 1e9,
      usage_source: 'provider',
      outcome: 'completed',
    };

    test('a turn of text', async () => {
      const name = `${agent.setup}-text`;
      const { code, output } = await run(agent, 'Say hello', name);
      expect(output).toContain('The answer is 42.');
      expect(code).toBe(0);
      expect(await readEvents(name, 1)).toEqual([expect.objectContaining(told)]);
    });

    test('a turn with a tool, in one session', async () => {
      const name = `${agent.setup}-tool`;
      const { code, output } = await run(agent, 'Read the note', name);
      expect(output).toContain('The answer is 42.');
      expect(code).toBe(0);
      const events = await readEvents(name, 2);
      expect(events).toEqual([expect.objectContaining(told), expect.objectContaining(told)]);
      expect(new Set(events.map(({ session_id }) => session_id)).size).toBe(1);
      expect(fake.requests.at(-1)?.body.toString('utf8')).toContain(secret);
    });

    test.each([
      ['blocked', "status = 'blocked'", 'agent_blocked'],
      ['capped', 'daily_cap_usd = 0', 'agent_budget_exceeded'],
      ['paused', '', 'paused'],
    ] as const)('%s: it says so', async (kind, change, code) => {
      const name = `${agent.setup}-${kind}`;
      const { words, requests } = agent.refused[kind];
      await fetch(`${system.proxies[0]?.url}/openai/v1/models`, { headers: { 'X-Agent-Name': name } });
      if (change) await system.database.pool.query(`UPDATE agents SET ${change} WHERE name = $1`, [name]);
      await setPause(kind === 'paused');
      const before = await countRefusals(code);
      const ended = await run(agent, 'Say hello', name);
      await setPause(false);
      expect(ended.output).toContain(words);
      expect(ended.code).toBe(1);
      expect((await countRefusals(code)) - before).toBe(requests);
    });

    test('a policy that denies its tool: the declaration, and the call of a stripped one', async () => {
      const name = `${agent.setup}-denied`;
      const headers = { authorization: `Bearer ${system.apiKey}` };
      const apply = async (strips: boolean) => {
        const tools = { client: { deny: [agent.tool] }, on_declared: strips ? 'strip' : 'refuse' };
        const policy = {
          name: 'no-reading',
          mode: 'enforce',
          match: { agents: [name] },
          tools,
          refusal: 'ask #ai-gov',
        };
        const { id } = await system.api<{ id: string }>('/api/v1/policies', {
          method: 'POST',
          body: JSON.stringify(policy),
        });
        return () => fetch(`${system.management.url}/api/v1/policies/${id}`, { method: 'DELETE', headers });
      };
      const remove = await apply(false);
      const refused = await run(agent, 'Read the note', name);
      await remove();
      expect(refused.output).toContain(`denied by policy no-reading (rule tools.client): the tool ${agent.tool}`);
      expect(refused.code).toBe(1);

      const unstrip = await apply(true);
      const before = fake.requests.length;
      const ended = await run(agent, 'Read the note', name);
      await unstrip();
      expect(ended.output).toContain(agent.ended.words);
      expect(ended.output).not.toContain(secret);
      const sent = fake.requests.slice(before).filter(({ method }) => method === 'POST');
      expect(sent.map(({ body }) => body.includes(`"name":"${agent.tool}"`))).toEqual(
        Array(agent.ended.requests).fill(false),
      );
    });
  });
});
