import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { insertAlert, insertDelivery } from '@agp/testing/events';
import { startDemoProvider } from '../../../packages/demo-provider/src/start-demo-provider.ts';
import { type Scene, setScene } from '../../../packages/local-stack/src/demo/scene.ts';
import { listDemoProviders } from '../../../packages/local-stack/src/start/write-providers-file.ts';
import type { System } from '../../system/start-system.ts';
import { type ConsoleSystem, openConsole } from '../support/open-console.ts';

/** Where the console says that agents find the proxy. */
export const shownProxy = 'http://127.0.0.1:8080';

/** The product on throw-away data with the simulated provider that the demo calls, and a browser. */
export async function openDemoConsole(): Promise<ConsoleSystem> {
  await using resources = new AsyncDisposableStack();
  const demo = resources.use(await startDemoProvider({ host: '127.0.0.1', port: 0, delayMs: 1 }));
  const own = mkdtempSync(join(tmpdir(), 'agp-demo-'));
  resources.defer(() => rmSync(own, { recursive: true }));
  const PROVIDERS_FILE = join(own, 'providers.json');
  writeFileSync(PROVIDERS_FILE, JSON.stringify(listDemoProviders(demo.url)));
  const console = resources.use(
    await openConsole({ environment: { PROVIDERS_FILE, CONSOLE_PROXY_ADDRESS: shownProxy } }),
  );
  const opened = resources.move();
  return { ...console, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** A target, a message to it that was given up, and an alert that somebody acknowledged, beside those that rules find. */
export async function makeAlerts({ api, database }: System): Promise<void> {
  const target = { kind: 'webhook', name: 'on-call', url: 'https://alerts.example/hook' };
  const body = JSON.stringify(target);
  const made = await api<{ id: string }>('/api/v1/notification-targets', { method: 'POST', body });
  const alert = await insertAlert(database.pool);
  await insertDelivery(database.pool, { target: made.id, alert, isDead: true });
  // A rule that is there, and is not looked at soon, keeps it open.
  await database.pool.query(
    `UPDATE alerts SET rule_id = (SELECT id FROM notification_rules WHERE name = 'chains') WHERE title LIKE '%306 requests'`,
  );
  await api(`/api/v1/alerts/${alert}/acknowledge`, { method: 'POST' });
}

/** What OpenAI billed yesterday, as it was read a while ago. */
export async function makeBills({ database }: System): Promise<void> {
  await database.pool.query(
    `INSERT INTO billed_days VALUES
       ('openai', current_date - 1, 'gpt-5-mini', 1204.5, 1240, 3.2, 1.1, 0, 11.1, 20.1),
       ('openai', current_date - 1, 'web search tool calls', 0, 0.75, 0, 0, 0, 0, 0.75),
       ('openai', current_date - 1, 'gpt-4o', 2.125, 2, 0, 0, -0.125, 0, 0);
     INSERT INTO bill_reads VALUES ('openai', now(), now() - interval '5 hours', NULL)`,
  );
}

/** What `npm run demo` makes of an empty system. */
export function makeDemoData({ proxies, management, apiKey, stack }: System, rounds?: number): Promise<Scene> {
  const demo = { proxyUrl: proxies[0]?.url ?? '', managementUrl: management.url, managementKey: apiKey };
  return setScene(demo, stack.databaseUrl, { ...(rounds !== undefined && { rounds }) });
}
