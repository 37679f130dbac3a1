import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createdApiKeySchema, type ListedAgent, type Team } from '@agp/core/contracts';
import { expect, test } from 'vitest';
import { ofInstallation } from '../../packages/console/src/api/permissions.ts';
import { goTo } from './support/go-to.ts';
import { inBrowser } from './support/in-browser.ts';
import { useConsole } from './support/use-console.ts';

const sources = join(import.meta.dirname, '../../packages/console/src');
const readSource = (name: string) => readFileSync(join(sources, name), 'utf8');

const match = { team: 'search' };
const view = 'team=search';

inBrowser("a team's view in the console", () => {
  const { open, show, send, system } = useConsole();

  const find = async (name: string) =>
    (await system().api<ListedAgent[]>(`/api/v1/agents?search=${name}`)).find((agent) => agent.name === name);

  /** An agent with an event and labels. @returns its id */
  async function seed(name: string, labels: Record<string, string>): Promise<string> {
    await send(name);
    await expect.poll(() => find(name)).toBeDefined();
    const { id = '' } = (await find(name)) ?? {};
    await expect.poll(() => system().api<unknown[]>(`/api/v1/agents/${id}/events`)).not.toEqual([]);
    await system().api(`/api/v1/agents/${id}`, { method: 'PUT', body: JSON.stringify({ labels }) });
    return id;
  }

  async function openAs(path: string, scopes = ['read', 'write', 'admin'], team: Team | null = match) {
    const body = JSON.stringify({ name: 'search leads', scopes, match: team });
    const key = createdApiKeySchema.parse(await system().api('/api/v1/keys', { method: 'POST', body }));
    return open(path, { key: key.secret });
  }

  test.each([1280, 390])('says whose it is on every screen, %i pixels wide', async (width) => {
    const { page, context, faults } = await openAs('/');
    await page.setViewportSize({ width, height: 844 });
    const chip = page.getByRole('banner').getByText(view, { exact: true });
    await chip.waitFor();
    const { x = 0, width: wide = 0 } = (await chip.boundingBox()) ?? {};
    expect([wide > 50, x + wide <= width]).toEqual([true, true]);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(width);
    expect(await page.title()).toBe('Now · Agent Governance Proxy');
    await page.getByRole('button', { name: 'Account: search leads' }).click();
    await page.getByText(`admin of ${view} · session ends`).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  test('offers nothing that is of the whole installation, and says so behind links', async () => {
    const { page, context, faults } = await openAs('/');
    const places = [
      ['/', 'Personal data', ['Pause all agents', 'Check the audit log']],
      ['/alerts', 'State', ['Rules and targets']],
      ['/budgets', 'New agents', ['Set cap of all agents together', 'Set cap of new agents']],
      ['/audit', 'Audit log', ['Verify the whole log']],
      ['/keys', 'Agent tokens', ['API keys', 'Make a key']],
    ] as const;
    for (const [path, beside, absent] of places) {
      await goTo(page, path);
      await page.getByRole('main').getByText(beside).first().waitFor();
      for (const name of absent)
        expect(await page.getByRole('main').locator('a, button').filter({ hasText: name }).count(), name).toBe(0);
    }
    for (const path of ['/alerts/rules', '/alerts/rules?view=targets', '/keys?view=keys', '/identities']) {
      await goTo(page, path);
      await page.getByText('This is of the whole installation').waitFor();
      await page.getByText(`Your view is ${view}.`).waitFor();
      expect(await page.getByRole('main').getByRole('row').count(), path).toBe(0);
    }
    await goTo(page, '/events');
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByLabel('Save what is shown as').waitFor();
    expect(await page.getByLabel('For all').count()).toBe(0);
    expect(faults).toEqual([]);
    await context.close();
  });

  test('lets labels of the view alone, which take an agent into it or out of it', async () => {
    const id = await seed('labelled', { team: 'search', owner: 'ada' });
    const { page, context, faults } = await openAs(`/agents/${id}`);
    await page.getByRole('button', { name: 'Labels of labelled' }).click();
    const form = page.getByRole('dialog');
    expect(await form.getByLabel('Team').isDisabled()).toBe(true);
    await form.getByLabel('Owner').fill('bob');
    await form.getByRole('button', { name: 'Save' }).click();
    await expect.poll(async () => (await find('labelled'))?.metadata).toEqual({ team: 'search', owner: 'bob' });
    expect(faults).toEqual([]);
    await context.close();
  });

  test('reads and changes without one refusal of the API, on every screen', async () => {
    const id = await seed('mine', match);
    await seed('theirs', { team: 'ads' });
    const [event] = await system().api<{ id: string; session_id: string }[]>(`/api/v1/agents/${id}/events`);
    const { page, context, faults } = await openAs('/');
    const refused: string[] = [];
    page.on('response', (answer) => {
      if (answer.status() >= 400) refused.push(`${answer.status()} ${answer.request().method()} ${answer.url()}`);
    });
    const ids = [`/agents/${id}`, `/events/${event?.id}`, `/sessions/${event?.session_id}`, '/find?id=nobodys'];
    const views = ['/costs?view=prices', '/costs?view=doubtful', '/costs?view=unrecorded', '/keys?view=names'];
    const paths = Array.from(readSource('app/screens.ts').matchAll(/screen\('([^'$]+)'/g), ([, path = '']) => path);
    expect(paths.length).toBeGreaterThan(12);
    for (const path of [...paths, ...ids, ...views, '/policies/_new']) {
      await goTo(page, path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await expect.poll(() => page.getByRole('main').getByLabel('Loading').count()).toBe(0);
      if (path !== '/start') expect(await page.getByRole('main').getByText('theirs').count(), path).toBe(0);
    }
    expect(refused).toEqual([]);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("of another team's agent, session or event it says what it says of none", async () => {
    const id = await seed('theirs', { team: 'ads' });
    const [event] = await system().api<{ id: string; session_id: string }[]>(`/api/v1/agents/${id}/events`);
    const { page, context, faults } = await openAs('/');
    const none = { agents: id.slice(0, -2), events: event?.id.slice(0, -2), sessions: event?.session_id.slice(0, -2) };
    const theirs = { agents: id, events: event?.id, sessions: event?.session_id };
    const read = async (path: string) => {
      await page.goto(new URL(path, page.url()).href);
      const main = page.getByRole('main');
      await main.getByText(`It does not exist, or it is not in the view ${view}`).waitFor();
      return ((await main.textContent()) ?? '').replaceAll(/\w{3}_\w+/g, 'id');
    };
    for (const kind of ['agents', 'events', 'sessions'] as const) {
      const text = await read(`/${kind}/${theirs[kind]}`);
      expect(text).toBe(await read(`/${kind}/${none[kind]}01`));
      expect(text).not.toMatch(/theirs|ads|gpt/);
    }
    expect(faults.filter((fault) => !/status of 404/.test(fault))).toEqual([]);
    await context.close();
  });

  test('writes policies and budgets of its own, from a draft that nothing refuses; those of all stand beside them', async () => {
    await seed('mine', match);
    const policy = { name: 'no-shell', mode: 'observe', tools: { client: { deny: ['shell'] } } };
    await system().api('/api/v1/policies', { method: 'POST', body: JSON.stringify(policy) });
    const { page, context, faults } = await openAs('/policies/no-shell');
    await page.getByText('of the installation').waitFor();
    for (const name of ['Save', 'Delete', 'Switch to enforce', 'Add an exception'])
      expect(await page.getByRole('button', { name }).count(), name).toBe(0);
    await goTo(page, '/policies/_new');
    await page.getByRole('button', { name: 'Save search.new-policy' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'search.new-policy' }).waitFor();
    await page.getByRole('button', { name: 'Switch to warn' }).waitFor();
    await goTo(page, '/budgets');
    await page.getByRole('button', { name: 'New budget' }).click();
    const form = page.getByRole('dialog');
    expect(await form.getByLabel('Name').inputValue()).toBe('search.');
    await form.getByText(/agents?: .*mine/).waitFor();
    await form.getByLabel('Name').fill('month');
    await form.getByText('must begin with search.').waitFor();
    await form.getByLabel('Name').fill('search.month');
    await form.getByLabel('Amount').fill('5');
    await form.getByRole('button', { name: 'Make' }).click();
    await page
      .getByRole('row', { name: /search\.month/ })
      .getByRole('button', { name: 'Change' })
      .waitFor();
    expect(faults).toEqual([]);
    await context.close();
    const all = await show('/policies');
    await all.page
      .getByRole('row', { name: /search\.new-policy/ })
      .getByText(view)
      .waitFor();
    const stored = await system().api<{ text: string; team: unknown }[]>('/api/v1/policies');
    const text = expect.stringMatching(/^name: search\.new-policy\nmode: observe # then.*\n {6}- search\n$/s);
    expect(stored).toContainEqual(expect.objectContaining({ team: match, text }));
  });

  test('knows all routes that the API keeps for the whole installation, and no others', async () => {
    const document = await system().api<{ paths: Record<string, Record<string, { description: string }>> }>(
      '/openapi.json',
    );
    const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, route]) => ({ name: `${method.toUpperCase()} ${path}`, path, ...route })),
    );
    const isKept = (route: object) => 'x-of-installation' in route;
    const parts = Object.values(ofInstallation).flatMap(([, ...each]) => each);
    const has = ({ name }: { name: string }) => parts.some((part) => name.includes(part));
    expect(routes.filter((route) => has(route) && !isKept(route))).toEqual([]);
    for (const part of parts)
      expect(
        routes.filter(({ name }) => name.includes(part)),
        part,
      ).not.toEqual([]);
    const source = readdirSync(sources, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts'))
      .map(readSource)
      .join('\n');
    const called = routes.filter(({ path }) => source.includes(`'${path}'`));
    expect(called.length).toBeGreaterThan(20);
    expect(called.filter((route) => isKept(route) && !has(route))).toEqual([]);
    for (const [scope, part] of Object.values(ofInstallation))
      expect(routes.filter(({ name }) => name.includes(part)).map(({ description }) => description)).toContainEqual(
        expect.stringContaining(`scope \`${scope}\``),
      );
  });

  test('a key of a team is made in a form, which takes what is still typed', async () => {
    const { page, faults } = await show('/keys');
    await page.getByRole('button', { name: 'Make a key' }).click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Name').fill('of search');
    const field = form.getByLabel('Only the agents with');
    await field.fill('team');
    await form.getByText('must be a label such as team=search').waitFor();
    expect(await form.getByRole('button', { name: 'Make it' }).isDisabled()).toBe(true);
    await field.fill('team=search');
    await form.getByRole('button', { name: 'Make it' }).click();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page
      .getByRole('row', { name: /of search/ })
      .getByText(view)
      .waitFor();
    expect(faults).toEqual([]);
  });
});
