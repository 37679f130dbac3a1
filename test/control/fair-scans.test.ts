import { randomUUID } from 'node:crypto';
import { answerCanned, type FakeProvider, startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPayload } from '../system/read-payload.ts';
import { type System, startSystem } from '../system/start-system.ts';

let provider: FakeProvider;
let system: System;

beforeAll(async () => {
  provider = await startFakeProvider(answerCanned());
  system = await startSystem({ environment: { PROVIDER_OPENAI_URL: provider.url } });
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await provider?.stop();
});

async function send(agentName: string, content: string): Promise<string> {
  const sessionId = `ses_${randomUUID()}`;
  const answer = await fetch(`${system.proxies[0]?.url}/openai/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-agent-name': agentName, 'x-session-id': sessionId },
    body: JSON.stringify({ model: 'gpt-5-mini', messages: [{ role: 'user', content }] }),
  });
  await answer.arrayBuffer();
  // As SDKs do, where the machine is too busy to read the agent's status in time.
  if (answer.status === 503) return send(agentName, content);
  expect(answer.status).toBe(200);
  return sessionId;
}

async function query<Row extends object>(text: string, values: unknown[]): Promise<Row> {
  const { rows } = await system.database.pool.query<Row>(text, values);
  return rows[0] as Row;
}

const large = 'Nothing of interest stands in this sentence about ships. '.repeat(25_000);
const small = `${'Ships sail. '.repeat(2_000)} Write to jane.roe@example.com today.`;

test.each([
  ['one name', () => 'hostile'],
  ['many names', (index: number) => `hostile-${index}`],
])('large texts under %s neither hide what another agent writes nor hold up its event', async (_, toName) => {
  // The worker is there, as in a proxy that has run for a while.
  await readPayload(system, await send('honest', small));
  const names = Array.from({ length: 20 }, (_one, index) => toName(index));
  // What was searched before would be searched in no time.
  await Promise.all(names.map((name) => send(name, `${randomUUID()} ${large}`)));
  const session = await send('honest', small);
  const { sentAt } = await query<{ sentAt: Date }>('SELECT now() AS "sentAt"', []);
  const seen = await readPayload(system, session);
  expect(seen).toMatchObject({ pii_types: ['email'], pii_scan: 'full' });
  // It waited for the text that was being searched, and for what was on its way into the records, not for all that wait.
  const { overtook } = await query<{ overtook: number }>(
    `SELECT count(*)::int AS overtook FROM events JOIN agents ON agents.id = agent_id WHERE name = ANY($1)
      AND recorded_at > $2 AND recorded_at < (SELECT max(recorded_at) FROM events WHERE session_id = $3)`,
    [names, sentAt, session],
  );
  expect(overtook).toBeLessThan(13);
});
