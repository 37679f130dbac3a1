import { makeTestAuthority, startTestStack } from '@agp/testing';
import { expect, test } from 'vitest';
import { openDatabase } from './database.ts';

/** Connects as the writer does, in a pipeline, and asks Postgres whether the connection is encrypted. */
async function askForTls(url: string): Promise<unknown> {
  const database = openDatabase({ url, applicationName: 'tls-test', maxConnections: 1, pipeline: true });
  try {
    const asked = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()';
    const [{ rows }] = await Promise.all([database.pool.query(asked), database.pool.query('SELECT 1')]);
    return rows[0].ssl;
  } finally {
    await database.close();
  }
}

test('over TLS Postgres is taken only where its authority vouches for it, under its own name', async () => {
  using authority = makeTestAuthority();
  using stranger = makeTestAuthority();
  await using stack = await startTestStack({ ownPostgres: true, tls: authority.issue('127.0.0.1') });
  await using misnamed = await startTestStack({ ownPostgres: true, tls: authority.issue('postgres.example') });
  await using plain = await startTestStack();
  const { databaseUrl } = stack.urls.writer;
  const { caFile } = authority;
  const full = `sslmode=verify-full&sslrootcert=${caFile}`;
  expect(await askForTls(databaseUrl)).toBe(false);
  expect(await askForTls(`${databaseUrl}?${full}`)).toBe(true);
  await expect(askForTls(`${databaseUrl}?sslmode=verify-full`)).rejects.toThrow(/certificate/);
  await expect(askForTls(`${databaseUrl}?sslmode=require`)).rejects.toThrow(/certificate/);
  await expect(askForTls(`${databaseUrl}?sslmode=verify-full&sslrootcert=${stranger.caFile}`)).rejects.toThrow(
    /certificate|self-signed/,
  );
  await expect(askForTls(`${misnamed.urls.writer.databaseUrl}?${full}`)).rejects.toThrow(/altnames/);
  await expect(
    askForTls(`${misnamed.urls.writer.databaseUrl}?sslmode=verify-ca&sslrootcert=${caFile}`),
  ).rejects.toThrow(/altnames/);
  await expect(askForTls(`${plain.urls.writer.databaseUrl}?${full}`)).rejects.toThrow('does not support SSL');
});
