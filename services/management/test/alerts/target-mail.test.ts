import type { AddressInfo } from 'node:net';
import { deliveryListSchema } from '@agp/alerts';
import { toPublicId } from '@agp/core/ids';
import { waitFor } from '@agp/testing';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';
import { afterAll, expect, test } from 'vitest';
import { makeTarget, putAlerts, putDeliveries } from '../support/alert-receivers.ts';
import { shareTestManagement, startTestManagement } from '../support/start-test-management.ts';

const mails: { to: string[]; mail: ParsedMail }[] = [];
const server = new SMTPServer({
  // Its certificate is nobody's.
  hideSTARTTLS: true,
  allowInsecureAuth: true,
  onAuth: ({ username, password }, _session, done) =>
    username === 'agp' && password === 'secret-of-mail'
      ? done(null, { user: username })
      : done(new Error('wrong password')),
  onRcptTo: ({ address }, _session, done) =>
    done(address.startsWith('nobody@') ? Object.assign(new Error('no such box'), { responseCode: 550 }) : null),
  onData: (stream, { envelope }, done) => {
    simpleParser(stream).then((mail) => {
      mails.push({ to: envelope.rcptTo.map(({ address }) => address), mail });
      done();
    }, done);
  },
});
server.on('error', () => {});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.server.address() as AddressInfo;
afterAll(() => new Promise<void>((resolve) => server.close(resolve)));

const management = shareTestManagement({
  smtpUrl: `smtp://agp:secret-of-mail@127.0.0.1:${port}`,
  consoleOrigin: 'https://agp.test',
});

const askTest = (publicId: string, { call } = management) =>
  call(`/api/v1/notification-targets/${publicId}/test`, { method: 'POST' }).then((answer) => answer.json());

test('a mail says all in its subject, leads to the cause, and what is over stands in the same thread', async () => {
  const to = ['on-call@people.test', 'ops@people.test'];
  const { id } = await makeTarget(management, { name: 'people', kind: 'email', to });
  const title = 'agent nightly\r\nBcc: thief@evil.test\r\n\r\nfails \u2028 ü';
  const [alert = ''] = await putAlerts(management.database, [{ title }]);
  const [opened = '', resolved = ''] = await putDeliveries(management.database, [
    { target: id, alert, line: 'one' },
    { target: id, alert, line: 'one', occasion: 'resolved' },
  ]);
  await waitFor('two mails', () => mails.length >= 2);
  const [first, second] = mails.map(({ mail }) => mail);
  for (const each of mails) expect(each.to).toEqual(to);
  expect(first?.subject).toBe(
    String.raw`CRITICAL: agent nightly\u{d}\u{a}Bcc: thief@evil.test\u{d}\u{a}\u{d}\u{a}fails \u{2028} ü`,
  );
  expect(second?.subject).toMatch(/^resolved: agent nightly/);
  expect([first?.bcc, first?.from?.text]).toEqual([undefined, 'agp@test.example']);
  expect(first?.text).toMatch(
    /\n100 %\nrule agents-failing, since .* UTC\n\nLook at it: https:\/\/agp\.test\/agents\?search=a&b\n?$/,
  );
  expect([first, second].map((mail) => mail?.messageId)).toEqual(
    [opened, resolved].map((each) => `<${toPublicId('dlv', each)}@test.example>`),
  );
  const thread = `<${toPublicId('alr', alert)}@test.example>`;
  expect([first, second].map((mail) => mail?.references)).toEqual([thread, thread]);
  expect(first?.headers.get('auto-submitted')).toBe('auto-generated');
});

test('an address that the server does not take is named; the others have the mail', async () => {
  const some = await makeTarget(management, {
    name: 'some',
    kind: 'email',
    to: ['ops@people.test', 'nobody@people.test'],
  });
  expect(await askTest(some.publicId)).toEqual({
    ...{ delivered: true, status: null, error: 'the mail server did not take it for nobody@people.test' },
  });
  const none = await makeTarget(management, { name: 'none', kind: 'email', to: ['nobody@people.test'] });
  expect(await askTest(none.publicId)).toMatchObject({
    delivered: false,
    error: expect.stringMatching(/^mail server: .*no such box/),
  });
});

test('without a mail server, or with a wrong password, it is said and waits', async () => {
  await using without = await startTestManagement();
  const { id, publicId } = await makeTarget(without, { name: 'people', kind: 'email', to: ['ops@people.test'] });
  expect(await askTest(publicId, without)).toEqual({ delivered: false, status: null, error: 'SMTP_URL is not set' });
  const [alert = ''] = await putAlerts(without.database, [{}]);
  await putDeliveries(without.database, [{ target: id, alert }]);
  const waiting = await waitFor('a try', async () =>
    (await without.read('/api/v1/notification-deliveries', deliveryListSchema)).find(({ attempts }) => attempts > 0),
  );
  expect(waiting).toMatchObject({ state: 'waiting', error: 'SMTP_URL is not set' });

  await using wrong = await startTestManagement({ smtpUrl: `smtp://agp:another-secret@127.0.0.1:${port}` });
  const made = await makeTarget(wrong, { name: 'people', kind: 'email', to: ['ops@people.test'] });
  const refused = await askTest(made.publicId, wrong);
  expect(refused).toMatchObject({ error: expect.stringMatching(/^mail server: Invalid login/) });
  expect(JSON.stringify(refused)).not.toContain('another-secret');
});
