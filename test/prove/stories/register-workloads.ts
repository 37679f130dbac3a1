import { answerCanned } from '@agp/testing/providers';
import { expect } from 'vitest';
import { makeKey, nowSeconds, sign } from '../../identities/support/test-issuer.ts';
import { expectWithin, type Report, type Story } from '../story.ts';
import { withSystem } from '../with-system.ts';

const atOnce = 20;

/** Each workload begins at one of three proxies, and each fourth at all of them at once. */
async function registerWorkloads(workloads: number, promisedMs: number | undefined, report: Report): Promise<void> {
  await withSystem(answerCanned(), { proxies: 3, environment: { AGENT_IDENTITY: 'token' } }, async (system) => {
    const key = await makeKey('fleet', 'ES256');
    const issuer = 'https://fleet.example';
    const rules = [{ name: 'all', agent: 'fleet.{sub}', labels: { team: '{team}' } }];
    const keys = { jwks: { keys: [key.jwk] } };
    const document = { name: 'fleet', issuer, audiences: ['agp'], keys, rules };
    await system.api('/api/v1/identities', { method: 'POST', body: JSON.stringify(document) });
    const claims = { iss: issuer, aud: 'agp', exp: nowSeconds() + 3_600 };
    const names = Array.from({ length: workloads }, (_, index) => `w${index}`);
    const tokens = await Promise.all(names.map((sub) => sign(key, { ...claims, sub, team: sub.slice(0, 2) })));

    const ids = new Set<string>();
    const refused: string[] = [];
    let sent = 0;
    const begin = async (token: string, index: number) => {
      const proxies = system.proxies.filter((_, proxy) => index % 4 === 0 || proxy === index % 3);
      sent += proxies.length;
      const answers = await Promise.all(
        proxies.map(({ url }) => fetch(`${url}/openai/v1/models`, { headers: { authorization: `Bearer ${token}` } })),
      );
      for (const answer of answers) {
        const text = await answer.text();
        if (answer.headers.has('x-event-id')) ids.add(String(answer.headers.get('x-agent-id')));
        else refused.push(`${answer.status} ${text}`);
      }
    };
    const from = performance.now();
    const waiting = tokens.entries();
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (const [index, token] of waiting) await begin(token, index);
      }),
    );
    const ms = performance.now() - from;
    report({ workloads, 'requests that began them': sent, seconds: (ms / 1_000).toFixed(1) });
    expect(refused).toEqual([]);
    const { rows } = await system.database.pool.query<{ agents: number; claimed: number }>(
      `SELECT count(*)::int AS agents, count(claimed_names.identity_id)::int AS claimed
       FROM agents LEFT JOIN claimed_names USING (name)
       WHERE name LIKE 'fleet.w%' AND metadata->>'team' = substr(name, 7, 2)`,
    );
    expect(rows).toEqual([{ agents: workloads, claimed: workloads }]);
    expect(ids.size).toBe(workloads);
    expectWithin(`${workloads} agents`, ms, promisedMs);
  });
}

export const workloadsStory = (isShort: boolean): Story => ({
  name: 'workloads',
  promise:
    '5,000 workloads of one rule begin at three proxies within a minute: each is one agent, and none is refused.',
  run: (report) => (isShort ? registerWorkloads(120, undefined, report) : registerWorkloads(5_000, 60_000, report)),
});
