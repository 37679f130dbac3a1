import { randomUUID } from 'node:crypto';
import { eventSubject } from '@agp/bus';
import { toLineText } from '@agp/core/text';
import { type Db, listQuarantined, markQuarantineReplayed, readQuarantined } from '@agp/db';
import { hideCredentials } from '@agp/pii/hide-credentials';
import { withBus, withDatabase } from '../connect.ts';
import { CommandError, runCommand, UsageError } from '../run-command.ts';

const help = `Messages that the writer could never record are set aside in the table quarantine, with their bytes.

usage: npm run quarantine list               shows them, oldest first
       npm run quarantine replay <id>        publishes one to the event stream again
       npm run quarantine -- replay --all    publishes each that was not replayed yet, but those that no proxy sent (not_proxied)

Reads DATABASE_URL (of the role agp_writer), and to replay NATS_URL (of the user operator) and NATS_CA_FILE; URLs may stand in files, named
by the variables with _FILE behind their names. A message that still cannot be recorded is set aside again, as a new row.
Exit codes: 0 done, 1 failed or not found, 2 wrong usage.`;

async function list(db: Db): Promise<void> {
  const rows = await listQuarantined(db);
  if (rows.length === 0) console.log('nothing is set aside');
  for (const row of rows) {
    const replayed = row.replayed_at === null ? '' : `, replayed ${row.replayed_at.toISOString()}`;
    const messageId = toLineText(row.message_id ?? 'without an id');
    console.log(`${row.id}  ${row.received_at.toISOString()}  ${row.code}  ${row.size} bytes  ${messageId}${replayed}`);
    console.log(`    ${toLineText(hideCredentials(row.reason))}`);
  }
}

function replay(db: Db, ids: readonly number[]): Promise<void> {
  return withBus(async (connection) => {
    const jetstream = connection.jetstream();
    for (const id of ids) {
      const message = await readQuarantined(db, id);
      if (message === null) throw new CommandError(`no message ${id} is set aside`);
      // With its old id JetStream would drop it as a repeat. It is marked after the stream has it: a crash in between means a
      // second replay, which recording drops by the event's id.
      await jetstream.publish(eventSubject, message.bytes, { msgID: `replay-${id}-${randomUUID()}` });
      await markQuarantineReplayed(db, id);
      console.log(`replayed ${id}`);
    }
  });
}

/** @returns the id; null for all */
function readTarget(id: string | undefined, all: boolean): number | null {
  if (all === (id !== undefined)) throw new UsageError('replay takes an id or --all');
  if (all) return null;
  if (!/^[1-9][0-9]{0,14}$/.test(id ?? '')) throw new UsageError(`${id} is not an id`);
  return Number(id);
}

/** Republishing makes a message look as if a proxy had sent it, so one that no proxy sent must be asked for by its id. */
async function listForAll(db: Db): Promise<number[]> {
  const rows = await listQuarantined(db);
  return rows.filter(({ code, replayed_at }) => replayed_at === null && code !== 'not_proxied').map(({ id }) => id);
}

await runCommand({
  help,
  options: { all: { type: 'boolean', default: false } },
  allowPositionals: true,
  run({ all }, [command, id, ...rest]) {
    if (rest.length > 0 || (command !== 'list' && command !== 'replay')) throw new UsageError('no such command');
    if (command === 'list') {
      if (id !== undefined || all) throw new UsageError('list takes nothing');
      return withDatabase('quarantine', {}, list);
    }
    const target = readTarget(id, all);
    return withDatabase('quarantine', {}, async (db) => replay(db, target === null ? await listForAll(db) : [target]));
  },
});
