import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeTestAuthority, type TlsFiles } from '@agp/testing';
import { answerCanned, startFakeProvider } from '@agp/testing/providers';
import { expect } from 'vitest';
import { type System, startSystem, waitFor } from '../../system/start-system.ts';
import type { Story } from '../story.ts';

/** Sends until it is served, and waits until it is recorded. */
async function sendAndRecord({ proxies, api }: System): Promise<void> {
  let last = '';
  const eventId = await waitFor('an answer', async () => {
    const answer = await fetch(`${proxies[0]?.url}/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-agent-name': 'sender' },
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] }),
    });
    last = await answer.text();
    return answer.status === 200 && answer.headers.get('x-event-id');
  }).catch((error) => {
    throw new Error(`${error.message}: ${last}`);
  });
  await waitFor('the event', () => api(`/api/v1/events/${eventId}`).catch(() => false));
}

/** Gives all servers another certificate, and every connection has to be made again. */
async function rotate({ stack, database }: System, used: TlsFiles, next: TlsFiles): Promise<void> {
  const { rows } = await database.pool.query('SHOW ssl_cert_file');
  const folder = dirname(rows[0].ssl_cert_file);
  // Written into the same files, which Postgres' account must own.
  for (const own of [used, { certFile: join(folder, 'server.crt'), keyFile: join(folder, 'server.key') }]) {
    writeFileSync(own.certFile, readFileSync(next.certFile));
    writeFileSync(own.keyFile, readFileSync(next.keyFile));
  }
  for (const server of [stack.nats, stack.redis, stack.postgres]) {
    await server.stop();
    await server.start();
  }
}

/** All servers get another certificate, then another authority, while every service runs on. */
async function rotateCertificates(): Promise<void> {
  using first = makeTestAuthority();
  using second = makeTestAuthority();
  const server = first.issue('127.0.0.1');
  const caFile = join(dirname(first.caFile), 'trusted.pem');
  copyFileSync(first.caFile, caFile);
  await using provider = await startFakeProvider(answerCanned());
  await using system = await startSystem({
    ownPostgres: true,
    tls: { server, caFile },
    environment: { PROVIDER_OPENAI_URL: provider.url, LOG_LEVEL: 'fatal' },
  });
  await sendAndRecord(system);
  // Both are trusted while servers change over, and then the old one no longer.
  writeFileSync(caFile, `${readFileSync(first.caFile, 'utf8')}${readFileSync(second.caFile, 'utf8')}`);
  await rotate(system, server, second.issue('127.0.0.1'));
  await sendAndRecord(system);
  copyFileSync(second.caFile, caFile);
  await rotate(system, server, second.issue('127.0.0.1'));
  await sendAndRecord(system);
  const ready = await fetch(`${system.proxies[0]?.opsUrl}/readyz`);
  expect(await ready.json()).toEqual({ status: 'ready' });
}

export const certificatesStory: Story = {
  name: 'certificates',
  promise: 'Certificates and their authority are rotated without a restart of any service.',
  run: rotateCertificates,
};
