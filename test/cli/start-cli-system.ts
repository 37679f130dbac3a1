import { errorTable } from '@agp/core/errors';
import { answerCanned, type FakeProvider, startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, expect } from 'vitest';
import { type System, startSystem, waitFor } from '../system/start-system.ts';
import { type CliRun, runCli } from './run-cli.ts';

/** A system with four events of the agent `worker`, and the CLI on it. */
interface CliSystem extends AsyncDisposable {
  system: System;
  provider: FakeProvider;
  /** Sends a request of an agent through the proxy. */
  send(agentName: string, headers?: Record<string, string>): Promise<Response>;
  /** Runs a command on the system, with its key unless another is given. Words in double quotes are one argument. */
  agp(args: string, environment?: Record<string, string>): Promise<CliRun>;
  /** A run that must have gone well; its output. */
  done(args: string, environment?: Record<string, string>): Promise<string>;
  refused(args: string, code: 1 | 2, message: RegExp, environment?: Record<string, string>): Promise<void>;
  // biome-ignore lint/suspicious/noExplicitAny: the answer of any command.
  readJson(args: string): Promise<any>;
}

async function startCliSystem(): Promise<CliSystem> {
  await using opened = new AsyncDisposableStack();
  const provider = await startFakeProvider(answerCanned());
  opened.defer(() => provider.stop());
  const system = opened.use(await startSystem({ environment: { PROVIDER_OPENAI_URL: provider.url } }));

  const send: CliSystem['send'] = async (agentName, headers = {}) => {
    const session = agentName === 'worker' ? 'cli' : agentName;
    const response = await fetch(`${system.proxies[0]?.url}/openai/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-agent-name': encodeURI(agentName) === agentName ? agentName : Buffer.from(agentName).toString('latin1'),
        'x-session-id': /^\w+$/.test(session) ? `ses_${session}` : 'other',
        ...headers,
      },
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] }),
    });
    const text = await response.text();
    // A starved machine cannot always read the status within its second.
    return text.includes(errorTable.status_unavailable.message) ? send(agentName, headers) : response;
  };

  const agp: CliSystem['agp'] = async (args, environment = {}) => {
    const words = [...args.matchAll(/"([^"]*)"|[^" ]+/g)].map(([word, quoted]) => quoted ?? word);
    const connection = { AGP_URL: system.management.url, AGP_API_KEY: system.apiKey };
    const run = await runCli(words, { ...connection, ...environment });
    expect(run.stdout + run.stderr).not.toContain(system.apiKey);
    return run;
  };

  const done: CliSystem['done'] = async (args, environment) => {
    const run = await agp(args, environment);
    expect({ args, code: run.code, stderr: run.stderr }).toMatchObject({ code: 0 });
    return run.stdout;
  };

  for (let index = 0; index < 4; index += 1) expect((await send('worker')).status).toBe(200);
  await waitFor('the events', async () => (await system.api<unknown[]>('/api/v1/events')).length === 4);
  const running = opened.move();
  return {
    system,
    provider,
    send,
    agp,
    done,
    async refused(args, code, message, environment) {
      const run = await agp(args, environment);
      expect(run).toEqual({ code, stdout: '', stderr: expect.stringMatching(message) });
      expect(run.stderr.trimEnd()).not.toContain('\n');
    },
    readJson: async (args) => JSON.parse(await done(`${args} --json`)),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** One such system for all tests of a file. What it gives can be called inside of tests. */
export function useCliSystem() {
  let running: CliSystem;
  beforeAll(async () => {
    running = await startCliSystem();
  });
  afterAll(() => running?.[Symbol.asyncDispose]());
  return {
    system: () => running.system,
    provider: () => running.provider,
    send: (...given: Parameters<CliSystem['send']>) => running.send(...given),
    agp: (...given: Parameters<CliSystem['agp']>) => running.agp(...given),
    done: (...given: Parameters<CliSystem['done']>) => running.done(...given),
    refused: (...given: Parameters<CliSystem['refused']>) => running.refused(...given),
    readJson: (...given: Parameters<CliSystem['readJson']>) => running.readJson(...given),
  };
}
