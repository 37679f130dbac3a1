import { errorTable } from '@agp/core/errors';
import { refusalText } from '@agp/testing';
import { answerCanned, type FakeProvider, startFakeProvider } from '@agp/testing/providers';
import { expect } from 'vitest';
import { type System, startSystem } from '../../system/start-system.ts';

export interface IdentityAnswer {
  status: number;
  /** Of a refusal of the proxy's own. */
  error?: string;
  agentId: string | null;
}

type Headers = Record<string, string>;

/** Two proxies in one identity mode, and what tests of identities ask of both. */
export interface IdentitySystem extends AsyncDisposable {
  system: System;
  provider: FakeProvider;
  /** Sends a request that the provider answers with 404. */
  send(proxy: number, headers: Headers, path?: string): Promise<IdentityAnswer>;
  /** Expects both proxies to forward it for the same agent, and gives that agent's id. */
  expectForwarded(headers: Headers, path?: string): Promise<string>;
  /** Expects both proxies to refuse it for want of a token, with nothing sent to the provider. */
  expectRefused(headers: Headers, path?: string): Promise<void>;
  readName(agentId: string): Promise<string>;
  countAgents(name: string): Promise<number>;
}

export const replicas = [0, 1];

/** A token of the right form that nobody was given. */
export const neverIssued = `agp_${'never-issued-'.repeat(4).slice(0, 43)}`;

export const refusedForToken: IdentityAnswer = {
  status: 401,
  error: expect.stringContaining(`${errorTable.unauthorized_agent.message}: `),
  agentId: null,
};

export async function startIdentitySystem(
  mode: 'open' | 'token',
  environment: Record<string, string> = {},
): Promise<IdentitySystem> {
  const provider = await startFakeProvider(answerCanned());
  const system = await startSystem({
    proxies: replicas.length,
    environment: {
      AGENT_IDENTITY: mode,
      PROVIDER_OPENAI_URL: provider.url,
      PROVIDER_ANTHROPIC_URL: provider.url,
      PROVIDER_GEMINI_URL: provider.url,
      PROVIDER_BEDROCK_URL: provider.url,
      ...environment,
    },
  });
  const send: IdentitySystem['send'] = async (proxy, headers, path = '/openai/v1/models') => {
    const answer = await fetch(`${system.proxies[proxy]?.url}${path}`, { headers });
    const text = await answer.text();
    const error = answer.headers.has('x-event-id') ? undefined : refusalText(text);
    // The machine was too busy to read the agent's status in time.
    if (error === errorTable.status_unavailable.message) return send(proxy, headers, path);
    return { status: answer.status, agentId: answer.headers.get('x-agent-id'), ...(error !== undefined && { error }) };
  };
  return {
    system,
    provider,
    send,
    async expectForwarded(headers, path) {
      const [first, second] = await Promise.all(replicas.map((proxy) => send(proxy, headers, path)));
      expect(first).toEqual({ status: 404, agentId: expect.any(String) });
      expect(second).toEqual(first);
      return first?.agentId ?? '';
    },
    async expectRefused(headers, path) {
      const before = provider.requests.length;
      for (const proxy of replicas) expect(await send(proxy, headers, path)).toEqual(refusedForToken);
      expect(provider.requests.length).toBe(before);
    },
    readName: async (agentId) => (await system.api<{ name: string }>(`/api/v1/agents/${agentId}`)).name,
    async countAgents(name) {
      const { rows } = await system.database.pool.query('SELECT FROM agents WHERE name = $1', [name]);
      return rows.length;
    },
    async [Symbol.asyncDispose]() {
      await system[Symbol.asyncDispose]();
      await provider.stop();
    },
  };
}
