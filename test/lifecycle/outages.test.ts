import { answerCanned, type FakeProvider, startFakeProvider } from '@agp/testing/providers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { killNats, losePostgres } from '../prove/stories/outages.ts';
import { type System, startSystem } from '../system/start-system.ts';

let provider: FakeProvider;
beforeAll(async () => {
  provider = await startFakeProvider(answerCanned());
});
afterAll(() => provider?.stop());

const start = (ownPostgres: boolean): Promise<System> =>
  startSystem({ ownPostgres, environment: { PROVIDER_OPENAI_URL: provider.url } });

test('while NATS is gone requests are served, and every event is recorded once it is back', async () => {
  await using system = await start(false);
  await killNats(system, { perSecond: 100, before: 20, away: 40, after: 20 });
});

test.each(['gone', 'silent'] as const)(
  'while Postgres is %s every request is refused, and it is served again without a restart',
  async (how) => {
    await using system = await start(true);
    await losePostgres(system, how, { requests: 10 });
    expect(provider.requests.length).toBeGreaterThan(0);
  },
);
