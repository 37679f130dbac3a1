import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startDemoProvider } from '../../packages/demo-provider/src/start-demo-provider.ts';
import { makeToken } from '../control/support/admin-calls.ts';
import { type System, startSystem, waitFor } from '../system/start-system.ts';
import { readSnippets } from './read-snippets.ts';
import { runSnippet } from './run-snippet.ts';

let system: System;
const providers = new AsyncDisposableStack();

beforeAll(async () => {
  const demo = providers.use(await startDemoProvider({ host: '127.0.0.1', port: 0, delayMs: 0 }));
  const environment = {
    PROVIDER_OPENAI_URL: `${demo.url}/openai`,
    PROVIDER_ANTHROPIC_URL: `${demo.url}/anthropic`,
    PROVIDER_BEDROCK_URL: `${demo.url}/bedrock`,
  };
  system = await startSystem({ environment });
  keys.AGP_TOKEN = (await makeToken(system, 'known')).secret;
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await providers.disposeAsync();
});

const keys = {
  OPENAI_API_KEY: 'sk-test',
  ANTHROPIC_API_KEY: 'sk-ant-test',
  AWS_BEARER_TOKEN_BEDROCK: 'bedrock-api-key-test',
  AGP_TOKEN: '',
};

const list = (language: string) =>
  readSnippets('docs/clients.md', language).map((snippet) => ({
    snippet,
    agent: /(?:["']X-Agent-Name["']: ["']|\/agents\/)([^"'/]+)/.exec(snippet)?.[1] ?? 'known',
  }));
const [snippets, inPython] = [list('js'), list('py')];

/** Of an environment that has the packages; `python3` mostly lacks some. */
const python = process.env.AGP_TEST_PYTHON ?? 'python3';
const hasPackage = ({ snippet }: { snippet: string }) =>
  spawnSync(python, ['-c', String(/^(?:from|import) .*/.exec(snippet))]).status === 0;

describe.concurrent('the page about clients', () => {
  test('has a snippet for each framework', () => {
    expect(snippets.map(({ agent }) => agent).join(' ')).toBe(
      'known forecaster planner triage reader finder adviser solicitor broker courier steward',
    );
    expect(inPython.map(({ agent }) => agent)).toEqual(['py-planner', 'py-triage', 'py-reader', 'py-adviser']);
  });

  const run = [...snippets, ...inPython.filter(hasPackage)];
  test.each(run)('its snippet of $agent answers, and is recorded', async ({ snippet, agent }) => {
    const command = agent.startsWith('py-') ? [python, '-c'] : undefined;
    const { code, stdout, stderr } = await runSnippet(snippet, system.proxies[0]?.url ?? '', keys, command);
    expect(code, stderr).toBe(0);
    expect(stdout.length).toBeGreaterThan(10);
    const costs = await waitFor('the event', async () => {
      const { rows } = await system.database.pool.query<{ cost: number }>(
        'SELECT cost_usd::float AS cost FROM events JOIN agents ON agents.id = events.agent_id WHERE agents.name = $1',
        [agent],
      );
      return rows.length > 0 && rows.map(({ cost }) => cost);
    });
    expect(costs).toEqual([expect.any(Number)]);
    expect(costs[0]).toBeGreaterThan(0);
  });
});
