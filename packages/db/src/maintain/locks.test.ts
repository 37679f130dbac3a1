import { startTestStack } from '@agp/testing';
import { expect, test } from 'vitest';
import { openDatabase } from '../database.ts';
import { watchLockHolders } from './locks.ts';

test('who holds locks is named with process, application, user and time, without the text of a query', async () => {
  await using stack = await startTestStack();
  const open = (url: string, applicationName: string) => openDatabase({ url, applicationName, maxConnections: 1 });
  const maintaining = open(stack.urls.migrator.databaseUrl, 'agp-maintain');
  const reading = open(stack.urls.management.databaseUrl, 'agp-management');
  const writing = open(stack.urls.writer.databaseUrl, 'agp-writer');
  const reader = await reading.pool.connect();
  try {
    const { rows } = await reader.query<{ pid: number }>(`SELECT pg_backend_pid() AS pid`);
    await reader.query(`BEGIN; SELECT model = 'secret of a query' FROM events`);
    const holders = watchLockHolders(maintaining.db);
    await holders.look();
    await holders.look();
    expect(holders.describe()).toMatch(
      new RegExp(`^pid ${rows[0]?.pid} \\(agp-management, user agp_management, for \\d s or longer\\)$`),
    );
    await reader.query('COMMIT');
    await holders.look();
    expect(holders.describe()).toBe('nobody any more');

    // Within a transaction Postgres shows the connections of the first look, unless asked anew.
    await maintaining.db.transaction().execute(async (transaction) => {
      const within = watchLockHolders(transaction);
      await within.look();
      const later = await writing.pool.connect();
      await later.query('BEGIN; SELECT FROM events');
      await within.look();
      later.release(true);
      expect(within.describe()).toContain('agp-writer');
    });
  } finally {
    reader.release();
    await maintaining.close();
    await reading.close();
    await writing.close();
  }
});
