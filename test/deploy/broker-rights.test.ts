import { connectBus, eventSubject } from '@agp/bus';
import { answerCanned, startFakeProvider } from '@agp/testing/providers';
import { expect, test } from 'vitest';
import { makeSoakEvents } from '../recording/exactly-once/make-soak-events.ts';
import { readMetric } from '../system/read-metric.ts';
import { type System, startSystem, waitFor } from '../system/start-system.ts';

async function ask(system: System): Promise<string> {
  const answer = await fetch(`${system.proxies[0]?.url}/openai/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-agent-name': 'first' },
    body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] }),
  });
  expect(answer.status).toBe(200);
  await answer.text();
  return answer.headers.get('x-event-id') ?? '';
}

const listIds = async (system: System) =>
  (await system.api<{ id: string }[]>('/api/v1/events')).map(({ id }) => id).sort();

test('an event that somebody forges with the broker user of management or the writer never enters a chain', async () => {
  await using provider = await startFakeProvider(answerCanned());
  await using system = await startSystem({ environment: { PROVIDER_OPENAI_URL: provider.url } });
  const genuine = await ask(system);
  const [ofManagement, ofWriter, ofProxy] = makeSoakEvents(3);
  if (!ofManagement || !ofWriter || !ofProxy) throw new Error('there are three');
  const { management, writer, proxy } = system.stack.urls;
  for (const [url, event] of [
    [management.natsUrl, ofManagement],
    [writer.natsUrl, ofWriter],
    // The same, from who may: it would be recorded, were it let through.
    [proxy.natsUrl, ofProxy],
  ] as const) {
    const refused: string[] = [];
    const connection = await connectBus({ url, name: 'forger', onStatus: (_, detail) => refused.push(detail ?? '') });
    connection.publish(eventSubject, JSON.stringify(event));
    await connection.flush();
    if (event !== ofProxy) await waitFor('the refusal', () => refused.includes(`publish ${eventSubject}`));
    await connection.close();
  }
  const later = await ask(system);
  const expected = [genuine, ofProxy.id, later].sort();
  await waitFor('all that is genuine', async () => (await listIds(system)).length >= expected.length);
  expect(await listIds(system)).toEqual(expected);
});

test('what proxies hand over before there was ever a writer is kept, and recorded when one comes', async () => {
  await using provider = await startFakeProvider(answerCanned());
  const environment = { PROVIDER_OPENAI_URL: provider.url, LOG_LEVEL: 'silent' };
  await using system = await startSystem({ writers: 0, eventStream: false, environment });
  const asked = await Promise.all(Array.from({ length: 20 }, () => ask(system)));
  const [proxy] = system.proxies;
  await waitFor(
    'JetStream to say that it has no stream',
    async () => (await readMetric(proxy, 'agp_proxy_refused_publishes_total')) > 0,
  );
  await system.start('writer');
  await waitFor('all events', async () => (await listIds(system)).length === asked.length);
  expect(await listIds(system)).toEqual(asked.toSorted());
});
