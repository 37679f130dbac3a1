import { type FakeProvider, type FakeReply, type Handler, startFakeProvider } from '@agp/testing/providers';
import { expect } from 'vitest';
import { readPayload } from '../../system/read-payload.ts';
import { type System, startSystem } from '../../system/start-system.ts';

export const mini = 'gpt-4o-mini';
/** Nano-dollars for a token of gpt-4o-mini. */
export const price = { input: 150, output: 600 };

export interface Asked {
  agent?: string;
  path?: string;
  body?: object | string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** The whole product before a provider that does what it is told, whatever that is. */
export interface AttackSystem extends AsyncDisposable {
  system: System;
  fake: FakeProvider;
  /** What a model of the vendor is asked in a session of its own. */
  ask(asked?: Asked): { session: string; answer: Promise<Response> };
  /** An agent with a cap, in USD. @returns its name */
  cap(agent: string, usd: number): Promise<string>;
  /** Asks, and gives what was recorded of it. */
  record(asked: Asked, reply: FakeReply): Promise<Record<string, unknown>>;
}

const idle: Handler = () => ({ body: { choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } } });

/** Starts it. At `mistral` nobody listens. */
export async function startAttackSystem(): Promise<AttackSystem> {
  const fake = await startFakeProvider(idle);
  const system = await startSystem({
    environment: {
      PROVIDER_OPENAI_URL: fake.url,
      PROVIDER_ANTHROPIC_URL: fake.url,
      PROVIDER_GEMINI_URL: fake.url,
      PROVIDER_MISTRAL_URL: 'http://127.0.0.1:1',
      UPSTREAM_TIMEOUT_SECONDS: '5',
    },
  });
  let calls = 0;

  function ask({ agent = 'uncapped', path = '/openai/v1/chat/completions', body, headers, signal }: Asked = {}) {
    const session = `ses_attack${calls++}`;
    const given = body ?? { model: mini, messages: [{ role: 'user', content: 'Say hello to all of them.' }] };
    const answer = fetch(`${system.proxies[0]?.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-agent-name': agent, 'x-session-id': session, ...headers },
      body: typeof given === 'string' ? given : JSON.stringify(given),
      ...(signal && { signal }),
    });
    return { session, answer };
  }

  return {
    system,
    fake,
    ask,
    async cap(agent, usd) {
      fake.handle(idle);
      await (await ask({ agent, path: '/openai/v1/moderations' }).answer).arrayBuffer();
      const text = 'UPDATE agents SET daily_cap_usd = $2 WHERE name = $1';
      expect((await system.database.pool.query(text, [agent, usd])).rowCount).toBe(1);
      return agent;
    },
    async record(asked, reply) {
      fake.handle(() => reply);
      const { session, answer } = ask(asked);
      await answer.then((got) => got.arrayBuffer()).catch(() => undefined);
      return readPayload(system, session);
    },
    async [Symbol.asyncDispose]() {
      await system[Symbol.asyncDispose]();
      await fake[Symbol.asyncDispose]();
    },
  };
}
