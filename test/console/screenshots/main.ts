// npm run screenshots: the product on throw-away data, and a picture of every screen of the console.
import { copyFileSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { buildConsole } from '@agp/console/build';
import { startTestServers, useTestServers } from '@agp/testing';
import { workspaceFolder } from '../../workspace/run-tool.ts';
import { makeAlerts, makeBills, makeDemoData, openDemoConsole } from '../demo/open-demo-console.ts';
import { type Screen, takeScreenshots } from './take-screenshots.ts';

const folder = join(workspaceFolder, '.data/screenshots');
const docsFolder = join(workspaceFolder, 'docs/console');
/** Pictures that pages show, of a size that a repository can carry, in bytes. */
const largestInDocs = 400_000;

/** What comes while the picture of Live is taken. */
const arriving = [
  ['support-triage', 'gpt-5-mini'],
  ['release-notes', 'gpt-5-mini'],
  ['stock-forecast', 'gpt-4.1'],
  ['support-triage', 'gpt-5-mini'],
  ['release-notes', 'gpt-4o-mini'],
] as const;

/** The pictures of the docs, by the file that they are copied from. */
const shown = {
  'now.png': 'now-1280-light.png',
  'session.png': 'session-1280-light.png',
  'policy.png': 'policy-tried-1280-light.png',
};

function copyToDocs(): string[] {
  mkdirSync(docsFolder, { recursive: true });
  return Object.entries(shown).flatMap(([name, file]) => {
    const { size } = statSync(join(folder, file));
    if (size > largestInDocs) return [`${file} is too large for the docs: ${size} bytes`];
    copyFileSync(join(folder, file), join(docsFolder, name));
    return [];
  });
}

async function run(): Promise<string[]> {
  await using resources = new AsyncDisposableStack();
  await buildConsole({ report: (line) => console.log(line) });
  const { servers, stop } = await startTestServers();
  resources.defer(stop);
  useTestServers(servers);
  const console_ = resources.use(await openDemoConsole());
  const { eventId, refusedId, sessionId, agentId, policyId, ask } = await makeDemoData(console_.system);
  await makeAlerts(console_.system);
  await makeBills(console_.system);

  const text = (words: string | RegExp) => (page: Parameters<NonNullable<Screen['ready']>>[0]) =>
    page.getByText(words).first().waitFor();
  const screens: Screen[] = [
    { name: 'sign-in', path: '/', key: null },
    {
      name: 'now',
      path: '/',
      ready: (page) =>
        page
          .getByRole('img', { name: /by hour/i })
          .first()
          .waitFor(),
    },
    { name: 'alerts', path: '/alerts', ready: text('was blocked by') },
    { name: 'alert-rules', path: '/alerts/rules', ready: text('agents-failing') },
    { name: 'alert-rule-new', path: '/alerts/rules#new', ready: text('would be open now') },
    { name: 'alert-targets', path: '/alerts/rules?view=targets', ready: text('alerts.example') },
    { name: 'alert-target-new', path: '/alerts/rules?view=targets#new', ready: text('Standard Webhooks') },
    { name: 'alerts-dead', path: '/alerts/rules?view=dead', ready: text('HTTP 500') },
    {
      name: 'live',
      path: '/live',
      ready: async (page) => {
        await page.getByText('connected', { exact: true }).waitFor();
        for (const [agent, model] of arriving) await ask(agent, model, 'Is the export fixed?');
        await page
          .locator('.live-row')
          .nth(arriving.length - 1)
          .waitFor();
      },
    },
    { name: 'events', path: '/events', ready: text('support-triage') },
    { name: 'event', path: `/events/${eventId}`, ready: text('support-triage') },
    { name: 'refusals', path: '/refusals', ready: text('night-report') },
    { name: 'find', path: `/find?id=${refusedId}`, ready: text('night-report') },
    { name: 'sessions', path: '/sessions', ready: text('support-triage') },
    { name: 'session', path: `/sessions/${sessionId}`, ready: text('As it was written.') },
    { name: 'providers', path: '/providers', ready: text('demo') },
    { name: 'agents', path: '/agents', ready: text('night-report') },
    { name: 'agent', path: `/agents/${agentId}`, ready: text('support-triage') },
    { name: 'policies', path: '/policies', ready: text('small-models') },
    { name: 'policy', path: `/policies/${policyId}`, ready: text('Policy changed') },
    {
      name: 'policy-tried',
      path: '/policies/small-models',
      ready: async (page) => {
        await page.getByRole('button', { name: 'Try it' }).click();
        await text('Would have refused')(page);
      },
    },
    { name: 'policy-new', path: '/policies/_new', ready: text('In a form') },
    { name: 'budgets', path: '/budgets', ready: text('legal-month') },
    { name: 'budget-new', path: '/budgets#new', ready: text('Used already') },
    { name: 'costs', path: '/costs', ready: (page) => page.getByRole('img', { name: /by day/ }).waitFor() },
    { name: 'costs-invoice', path: '/costs?view=invoice', ready: text('billed by OpenAI') },
    { name: 'costs-prices', path: '/costs?view=prices', ready: text('in-house-7b') },
    { name: 'costs-unpriced', path: '/costs?view=unpriced', ready: text('in-house-7b') },
    { name: 'costs-doubtful', path: '/costs?view=doubtful', ready: text('release-notes') },
    { name: 'costs-unrecorded', path: '/costs?view=unrecorded', ready: text('release-notes') },
    {
      name: 'audit',
      path: '/audit',
      ready: async (page) => {
        await page.getByRole('button', { name: 'Verify the whole log' }).click();
        await text('As it was written.')(page);
      },
    },
    { name: 'start', path: '/start' },
    { name: 'keys', path: '/keys', ready: text('dashboard') },
    { name: 'tokens', path: '/keys?view=tokens', ready: text('payroll-export') },
    { name: 'identities', path: '/identities', ready: text('github-actions') },
    { name: 'identity-new', path: '/identities#new', ready: text('The issuer in YAML') },
    { name: 'unknown', path: '/no-such-place' },
  ];
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const faults = await takeScreenshots(console_, screens, folder);
  return [...faults, ...copyToDocs()];
}

const faults = await run();
console.log(`Pictures are in .data/screenshots, those of the docs in docs/console.`);
for (const fault of faults) console.error(fault);
process.exit(faults.length === 0 ? 0 : 1);
