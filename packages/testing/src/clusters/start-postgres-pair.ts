import { appendFile, chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Guard, postgresUser } from '@agp/local-stack/servers';
import { runSql } from '../servers/databases.ts';
import type { Server } from '../servers/server.ts';
import { copyPristine, type PostgresKit, startOnFolder } from '../servers/throw-away-postgres.ts';
import { startRelay } from './start-relay.ts';

/** A primary and a standby that streams from it, on copies of the same data. */
export interface PostgresPair extends AsyncDisposable {
  primary: Server;
  standby: Server;
  /** `host:port` of the endpoint that leads to the primary. */
  endpoint: string;
  /** Makes commits wait for the standby, or not. */
  setSynchronous(isSynchronous: boolean): Promise<void>;
  /** Ends the standby's recovery and turns the endpoint to it, as an operator does when the primary is gone. */
  promote(): Promise<void>;
  /** Waits until the standby has all that the primary has written. */
  catchUp(): Promise<void>;
  /** From now on the standby gets nothing. */
  leaveBehind(): void;
}

/** @param kit the data that both begin with */
export async function startPostgresPair(kit: PostgresKit, guard: Guard): Promise<PostgresPair> {
  const [data, copy] = [await copyPristine(kit, guard), await copyPristine(kit, guard)];
  const primary = await startOnFolder(data, kit, guard);
  const portOf = ({ url }: Server) => Number(new URL(url).port);
  const [relay, endpoint] = await Promise.all([startRelay(portOf(primary)), startRelay(portOf(primary))]);
  const source = `host=127.0.0.1 port=${relay.port} user=${postgresUser} password=${kit.password} application_name=standby`;
  await appendFile(
    join(copy, 'postgresql.auto.conf'),
    `primary_conninfo = '${source}'\nprimary_slot_name = 'standby'\nwal_receiver_timeout = '5s'\n`,
  );
  const signal = join(copy, 'standby.signal');
  await writeFile(signal, '');
  if (kit.account) await chown(signal, kit.account.uid, kit.account.gid);
  await runSql(
    primary.url,
    // The WAL that the standby has not had yet is kept for it.
    "SELECT pg_create_physical_replication_slot('standby', true)",
    "ALTER SYSTEM SET wal_sender_timeout = '5s'",
    'SELECT pg_reload_conf()',
  );
  const standby = await startOnFolder(copy, kit, guard);
  const waitFor = async (url: string, question: string) => {
    for (;;) {
      const [row] = await runSql(url, question);
      if (row?.done === true) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const catchUp = async () => {
    const [row] = await runSql(primary.url, 'SELECT pg_current_wal_lsn()::text AS lsn');
    await waitFor(standby.url, `SELECT pg_last_wal_replay_lsn() >= '${row?.lsn}' AS done`);
  };
  await catchUp();
  return {
    primary,
    standby,
    endpoint: `127.0.0.1:${endpoint.port}`,
    catchUp,
    leaveBehind: () => relay.cut(),
    async setSynchronous(isSynchronous) {
      await runSql(
        primary.url,
        `ALTER SYSTEM SET synchronous_standby_names = '${isSynchronous ? 'standby' : ''}'`,
        'SELECT pg_reload_conf()',
      );
      const state = isSynchronous ? 'sync' : 'async';
      await waitFor(primary.url, `SELECT bool_and(sync_state = '${state}') AS done FROM pg_stat_replication`);
    },
    async promote() {
      await runSql(standby.url, 'SELECT pg_promote(true, 60)');
      endpoint.switchTo(portOf(standby));
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([relay[Symbol.asyncDispose](), endpoint[Symbol.asyncDispose]()]);
    },
  };
}
