import { answerCanned, startFakeProvider } from '@agp/testing/providers';
import { test } from 'vitest';
import { sendOverSlowLink } from '../prove/stories/slow-links.ts';
import { startSystem } from '../system/start-system.ts';

test.each(['postgres', 'nats', 'redis'] as const)(
  'on a slow, lossy and silent way to %s requests are served or refused as documented, and no event is lost',
  async (server) => {
    await using provider = await startFakeProvider(answerCanned());
    const environment = { PROVIDER_OPENAI_URL: provider.url, LOG_LEVEL: 'fatal' };
    await using system = await startSystem({ links: true, environment });
    await sendOverSlowLink(system, server, { requests: 20, atOnce: 5 });
  },
);
