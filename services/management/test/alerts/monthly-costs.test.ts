import type { AddressInfo } from 'node:net';
import { deliveryListSchema } from '@agp/alerts';
import { openGuardedDatabase, recordEvents } from '@agp/db';
import { createLogger } from '@agp/runtime';
import { waitFor } from '@agp/testing';
import { makeEventAt } from '@agp/testing/events';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';
import { afterAll, expect, test } from 'vitest';
import { MonthlyReports } from '../../src/jobs/monthly-reports.ts';
import { makeTarget, startReceiver } from '../support/alert-receivers.ts';
import { shareTestManagement } from '../support/start-test-management.ts';

const mails: ParsedMail[] = [];
const mailServer = new SMTPServer({
  ...{ hideSTARTTLS: true, authOptional: true },
  onData: (stream, _session, done) =>
    void simpleParser(stream).then((mail) => done(void mails.push(mail) as never), done),
});
await new Promise<void>((resolve) => mailServer.listen(0, '127.0.0.1', resolve));
const receiver = await startReceiver();
afterAll(async () => {
  await receiver[Symbol.asyncDispose]();
  await new Promise<void>((resolve) => mailServer.close(resolve));
});

const management = shareTestManagement({
  smtpUrl: `smtp://127.0.0.1:${(mailServer.server.address() as AddressInfo).port}`,
  notificationAllowedHosts: [receiver.host],
  consoleOrigin: 'https://agp.test',
});

const nano = (usd: number) => Math.round(usd * 1e9);
const hourMs = 3_600_000;
const now = new Date();
/** In a month's first hour the one before is not told yet. */
const settled = new Date(now.getTime() - hourMs);
const first = (months: number) => new Date(Date.UTC(settled.getUTCFullYear(), settled.getUTCMonth() + months));
const [begin, end, later] = [first(0), first(1), first(2)] as const;
const days = {
  month: begin.toISOString().slice(0, 7),
  from: begin.toISOString().slice(0, 10),
  to: end.toISOString().slice(0, 10),
};
const named = new Intl.DateTimeFormat('en', { timeZone: 'UTC', month: 'long', year: 'numeric' }).format(begin);

test('on the first of a month each target that asks for it is told the last one, once, in its own form', async () => {
  const at = (time: number, usd: number, team?: string) =>
    makeEventAt(time, { cost_nano_usd: nano(usd), ...(team && { labels: { team } }) });
  await recordEvents(management.database.pool, [
    ...Array.from({ length: 12 }, (_, index) => at(begin.getTime() + hourMs, 10 + index, `team-${index}`)),
    at(begin.getTime(), 1_000.5, 'sales <b>'),
    at(end.getTime() - 1, 30.25),
    // Of the months beside it.
    at(begin.getTime() - 1, 7, 'sales <b>'),
    at(end.getTime(), 9, 'sales <b>'),
  ]);
  const by = { monthly_costs_by: 'label:team' };
  await makeTarget(management, { name: 'hook', kind: 'webhook', url: `${receiver.url}/hook`, ...by });
  await makeTarget(management, { name: 'slack', kind: 'slack', url: `${receiver.url}/slack`, ...by });
  await makeTarget(management, { name: 'teams', kind: 'teams', url: `${receiver.url}/teams`, ...by });
  await makeTarget(management, { name: 'mail', kind: 'email', to: ['cfo@people.test'], monthly_costs_by: 'provider' });
  const silent = await makeTarget(management, { name: 'silent', kind: 'webhook', url: `${receiver.url}/silent` });

  const options = { applicationName: 'reports-test', maxConnections: 4 };
  const { db, close } = openGuardedDatabase({ ...options, url: management.config.databaseUrl });
  const sources = { db, records: db, notifier: { wake() {} }, logger: createLogger('management', 'silent') };
  const look = (time: number) => Promise.all([1, 2, 3].map(() => new MonthlyReports(sources).look(new Date(time))));
  const told = async () => (await management.read('/api/v1/notification-deliveries', deliveryListSchema)).length;
  // Who asks in the middle of a month is told of the next one.
  await look(now.getTime());
  await look(end.getTime() + hourMs / 2);
  expect(await told()).toBe(0);
  await look(end.getTime() + hourMs);
  await look(end.getTime() + 5 * hourMs);
  await waitFor('the messages', () => receiver.received.length >= 3 && mails.length >= 1);
  expect(await told()).toBe(4);

  const link = `https://agp.test/costs?${new URLSearchParams({ by: 'label:team', from: days.from, to: days.to })}`;
  const title = `Costs of ${named}: 1,216.75 USD, 14 requests`;
  const hook = JSON.parse(receiver.at('/hook')[0]?.body ?? '');
  expect(hook).toMatchObject({ type: 'costs.monthly', timestamp: end.toISOString() });
  const largest = [
    ['sales <b>', 1_000.5],
    [null, 30.25],
    ...Array.from({ length: 8 }, (_, index) => [`team-${11 - index}`, 21 - index]),
  ];
  expect(hook.data).toEqual({
    ...{ title, month: days.month, by: 'label:team', total_usd: 1_216.75, request_count: 14, link },
    largest: largest.map(([name, cost_usd]) => ({ name, cost_usd })),
  });
  const lines = ['sales <b>: 1,000.50 USD, 82%', 'no team: 30.25 USD, 2%', 'team-11: 21.00 USD, 2%'];
  const { blocks } = JSON.parse(receiver.at('/slack')[0]?.body ?? '');
  expect(blocks[0].text.text).toContain([title, ...lines].join('\n').replace('<b>', '&lt;b&gt;'));
  expect(blocks[0].text.text).toMatch(/\nall others: 46\.00 USD, 4%$/);
  expect(blocks[1].elements[0].text).toBe(`<${link.replaceAll('&', '&amp;')}|Costs>`);
  const card = JSON.parse(receiver.at('/teams')[0]?.body ?? '').attachments[0].content;
  expect(card.body.slice(0, 3).map((each: { inlines: { text: string }[] }) => each.inlines[0]?.text)).toEqual([
    title,
    ...lines.slice(0, 2),
  ]);
  expect(card.actions[0].url).toBe(link);
  expect(mails[0]).toMatchObject({ subject: title, text: expect.stringContaining('\nopenai: 1,216.75 USD, 100%\n') });

  // Of the next month nothing was used but one call; who asks for no costs any more gets none.
  const [target] = (await (await management.call('/api/v1/notification-targets')).json()) as {
    id: string;
    target: { name: string };
  }[];
  expect(target?.target.name).toBe('hook');
  const change = { kind: 'webhook', name: 'hook', url: `${receiver.url}/hook` };
  expect((await management.send('PUT', `/api/v1/notification-targets/${target?.id}`, change)).status).toBe(200);
  await look(later.getTime() + hourMs);
  await waitFor('the next messages', () => receiver.received.length >= 5 && mails.length >= 2);
  expect(receiver.received.map(({ path }) => path).toSorted()).toEqual([
    '/hook',
    '/slack',
    '/slack',
    '/teams',
    '/teams',
  ]);
  expect(JSON.stringify(mails[1]?.text)).toContain('openai: 9.00 USD, 100%');

  for (const wrong of ['day', 'label:', 'weather', 'agent,model']) {
    const answer = await management.send('PUT', `/api/v1/notification-targets/${silent.publicId}`, {
      ...change,
      name: 'silent',
      monthly_costs_by: wrong,
    });
    await management.refuse(answer, 400, /monthly_costs_by: must be agent, model, provider, tag or label:NAME/);
  }
  await close();
});

test('one of several processes sums a month up, and what failed is tried again in an hour, without keeping others', async () => {
  await makeTarget(management, {
    name: 'by-model',
    kind: 'webhook',
    url: `${receiver.url}/m`,
    monthly_costs_by: 'model',
  });
  await makeTarget(management, { name: 'by-tag', kind: 'webhook', url: `${receiver.url}/t`, monthly_costs_by: 'tag' });
  const options = { applicationName: 'reports-test', maxConnections: 8 };
  const { db, close } = openGuardedDatabase({ ...options, url: management.config.databaseUrl });
  let isBroken = false;
  const sums = [0, 0];
  const countSums = (index: number) =>
    new Proxy(db, {
      get(target, name) {
        if (name === 'getExecutor') {
          sums[index] = (sums[index] ?? 0) + 1;
          if (isBroken) throw new Error('canceling statement due to statement timeout');
        }
        const member = Reflect.get(target, name, target);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  const common = { db, notifier: { wake() {} }, logger: createLogger('management', 'silent') };
  const processes = sums.map((_, index) => new MonthlyReports({ ...common, records: countSums(index) }));
  /** How many of them read sums, and how many failed. */
  const look = async (time: number) => {
    sums.fill(0);
    const looks = await Promise.allSettled(processes.map((each) => each.look(new Date(time))));
    return [sums.filter((count) => count > 0).length, looks.filter(({ status }) => status === 'rejected').length];
  };
  const told = async () =>
    (await management.read('/api/v1/notification-deliveries', deliveryListSchema)).filter(({ target }) =>
      target.startsWith('by-'),
    ).length;
  await look(first(2).getTime() + hourMs);
  const due = first(3).getTime() + hourMs;
  isBroken = true;
  expect(await look(due)).toEqual([1, 1]);
  // One that failed kept the next from nothing.
  expect(Math.max(...sums)).toBeGreaterThan(1);
  isBroken = false;
  expect(await look(due + hourMs / 2)).toEqual([0, 0]);
  expect(await told()).toBe(0);
  expect(await look(due + hourMs + 1)).toEqual([1, 0]);
  expect(await told()).toBe(2);
  expect(await look(due + 3 * hourMs)).toEqual([0, 0]);
  await close();
});
