import { startFakeProvider } from '@agp/testing/providers';
import { test } from 'vitest';
import { startSystem } from '../system/start-system.ts';
import { reconcileTold } from './reconciliation/reconcile-told.ts';

test('what providers tell of their bill is recorded to the nano-dollar, in each of their ways', async () => {
  await using provider = await startFakeProvider(() => ({ status: 404 }));
  const { url } = provider;
  await using system = await startSystem({
    environment: { PROVIDER_OPENAI_URL: url, PROVIDER_ANTHROPIC_URL: url, PROVIDER_GEMINI_URL: url },
  });
  await reconcileTold(system, provider, 220);
});
