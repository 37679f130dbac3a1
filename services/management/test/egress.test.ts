import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { reconciliationSchema } from '@agp/core/contracts';
import { createLogger } from '@agp/runtime';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { BillKeeper } from '../src/jobs/bill-keeper.ts';
import { OidcClient } from '../src/oidc/oidc-client.ts';
import { makeTarget, startReceiver } from './support/alert-receivers.ts';
import { shareTestManagement } from './support/start-test-management.ts';

const receiver = await startReceiver();
const mails: string[] = [];
const server = new SMTPServer({
  disabledCommands: ['STARTTLS', 'AUTH'],
  onData: (stream, { envelope }, done) => {
    mails.push(...envelope.rcptTo.map(({ address }) => address));
    stream.on('end', done).resume();
  },
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

/** Each name of this test means this machine, for the proxy alone; other names it refuses. */
const asked: string[] = [];
const proxy = createServer().on('connect', ({ url = '' }, socket) => {
  asked.push(url);
  const [name, port] = url.split(':');
  socket.on('error', () => {});
  if (!name?.endsWith('.outside.invalid')) return void socket.end('HTTP/1.1 403 x\r\n\r\n');
  const far = connect(Number(port), '127.0.0.1', () => {
    socket.write('HTTP/1.1 200 x\r\n\r\n');
    socket.pipe(far).pipe(socket as Socket);
  });
  far.on('error', () => socket.destroy());
});
await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
afterAll(async () => {
  proxy.closeAllConnections();
  proxy.close();
  await Promise.all([receiver[Symbol.asyncDispose](), new Promise<void>((resolve) => server.close(resolve))]);
});
beforeEach(() => void asked.splice(0));

const at = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
const mailPort = (server.server.address() as AddressInfo).port;
const hookHost = `hooks.outside.invalid:${new URL(receiver.url).port}`;
const management = shareTestManagement({
  ...{ egress: { httpsProxy: at, httpProxy: at }, notificationAllowedHosts: [hookHost] },
  smtpUrl: `smtp://mail.outside.invalid:${mailPort}`,
});

async function tryTarget(target: object) {
  const { publicId } = await makeTarget(management, target as never);
  return (await management.call(`/api/v1/notification-targets/${publicId}/test`, { method: 'POST' })).json();
}

test('messages of alerts leave by the egress proxy, and one that it refuses says so', async () => {
  const hook = { name: 'hook', kind: 'slack', url: `http://${hookHost}/in` };
  expect(await tryTarget(hook)).toMatchObject({ delivered: true, status: 200 });
  expect(await tryTarget({ ...hook, name: 'other', url: 'https://hooks.elsewhere.invalid/in' })).toMatchObject({
    delivered: false,
    error: expect.stringMatching(/^egress proxy .* \(HTTPS_PROXY\): it refuses hooks.elsewhere.invalid:443 \(403\)$/),
  });
  expect([asked, receiver.at('/in')]).toMatchObject([[hookHost, 'hooks.elsewhere.invalid:443'], [{}]]);
});

test('mails leave by it', async () => {
  expect(await tryTarget({ name: 'people', kind: 'email', to: ['ops@people.test'] })).toMatchObject({
    delivered: true,
    error: null,
  });
  expect([asked, mails]).toEqual([[`mail.outside.invalid:${mailPort}`], ['ops@people.test']]);
});

test('the provider of sign-in is asked by it', async () => {
  const settings = { oidcIssuer: 'https://people.elsewhere.invalid', oidcClientId: 'agp', oidcScope: 'openid' };
  const client = new OidcClient({ ...settings, oidcRoleClaim: 'roles', httpsProxy: at, noProxy: '' });
  await expect(client.begin()).rejects.toThrow();
  expect(asked).toEqual(['people.elsewhere.invalid:443']);
});

test('bills of providers are read by it', async () => {
  const { db } = management.database;
  const config = { billingOpenaiKey: 'sk-admin-1', billingOpenaiAddress: 'https://bills.elsewhere.invalid' };
  const logger = createLogger('management', 'silent');
  await new BillKeeper({ db, records: db, config: { ...config, httpsProxy: at, noProxy: '' }, logger }).look();
  expect(asked).toEqual(['bills.elsewhere.invalid:443']);
  const { bills } = await management.read('/api/v1/costs/reconciliation', reconciliationSchema);
  expect(bills[0]?.error).toMatch(/^https:\/\/bills\.elsewhere\.invalid\/v1\/organization\/costs gave no answer$/);
});
