import { startFakeProvider } from '@agp/testing/providers';
import { test } from 'vitest';
import { reconcileBills } from '../prove/stories/reconcile.ts';
import { startSystem } from '../system/start-system.ts';

test("mixed calls, some left by their agents and some failing: the record is the provider's own bill", async () => {
  await using provider = await startFakeProvider(() => ({ body: {} }));
  const { url } = provider;
  const environment = { PROVIDER_OPENAI_URL: url, PROVIDER_ANTHROPIC_URL: url, PROVIDER_GEMINI_URL: url };
  await using system = await startSystem({ environment });
  await reconcileBills(system, provider, { calls: 400, atOnce: 24 });
});
