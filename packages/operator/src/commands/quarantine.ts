import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { eventSubject } from '@agp/bus';
import { toLineText } from '@agp/core/text';
import {
  type Database,
  type Db,
  listQuarantined,
  markQuarantineReplayed,
  openGuardedDatabase,
  readQuarantined,
  StorageUnavailableError,
} from '@agp/db';
import { hideCredentials } from '@agp/pii/hide-credentials';
import { commonFields, describeFailure, loadConfig } from '@agp/runtime';
import { z } from 'zod';
import { connectOperator } from '../connect-operator.ts';
import { UsageError } from '../usage-error.ts';

const help = `Messages that the writer could never record are set aside in the table quarantine, with their bytes.

usage: npm run quarantine list               shows them, oldest first
       npm run quarantine replay <id>        publishes one to the event stream again
       npm run quarantine -- replay --all    publishes each that was not replayed yet, but those that no proxy sent (not_proxied)

Reads DATABASE_URL (of the role agp_writer), and to replay NATS_URL (of the user operator) and NATS_CA_FILE; URLs may stand in files, named
by the variables with _FILE behind their names. A message that still cannot be recorded is set aside again, as a new row.
Exit codes: 0 done, 1 failed or not found, 2 wrong usage.`;

const databaseSchema = z.object({ databaseUrl: commonFields.databaseUrl });

async function list(db: Db): Promise<void> {
  const rows = await listQuarantined(db);
  if (rows.length === 0) console.log('nothing is set aside');
  for (const row of rows) {
    const replayed = row.replayed_at === null ? '' : `, replayed ${row.replayed_at.toISOString()}`;
    console.log(
      `${row.id}  ${row.received_at.toISOString()}  ${row.code}  ${row.size} bytes  ${toLineText(row.message_id ?? 'without an id')}${replayed}`,
    );
    // Both may be what anybody sent.
    console.log(`    ${toLineText(hideCredentials(row.reason))}`);
  }
}

async function replay(db: Db, ids: readonly number[]): Promise<void> {
  const connection = await connectOperator();
  try {
    const jetstream = connection.jetstream();
    for (const id of ids) {
      const message = await readQuarantined(db, id);
      if (message === null) throw new Error(`no message ${id} is set aside`);
      // A new message id, or JetStream would take it for a repeat. It is marked only once the stream has it: a crash
      // in between means that it is replayed twice, which recording by event id makes up for.
      await jetstream.publish(eventSubject, message.bytes, { msgID: `replay-${id}-${randomUUID()}` });
      await markQuarantineReplayed(db, id);
      console.log(`replayed ${id}`);
    }
  } finally {
    await connection.close();
  }
}

async function chooseIds(db: Db, id: string | undefined, all: boolean): Promise<number[]> {
  if (all === (id !== undefined)) throw new UsageError('replay takes an id or --all');
  // What no proxy has sent would go out as if one had: that is for somebody who names it.
  const isForAll = (row: { code: string; replayed_at: Date | null }) =>
    row.replayed_at === null && row.code !== 'not_proxied';
  if (all) return (await listQuarantined(db)).filter(isForAll).map((row) => row.id);
  if (!/^[1-9][0-9]{0,14}$/.test(id ?? '')) throw new UsageError(`${id} is no id`);
  return [Number(id)];
}

function parse() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { all: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h', default: false } },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

async function run(): Promise<void> {
  const { values, positionals } = parse();
  const [command, id, ...rest] = positionals;
  if (values.help) return console.log(help);
  if (rest.length > 0 || (command !== 'list' && command !== 'replay')) throw new UsageError('no such command');
  if (command === 'list' && (id !== undefined || values.all)) throw new UsageError('list takes nothing');
  const database: Database = openGuardedDatabase({
    url: loadConfig(databaseSchema, process.env).databaseUrl,
    applicationName: 'agp-quarantine',
    maxConnections: 1,
  });
  try {
    if (command === 'list') await list(database.db);
    else await replay(database.db, await chooseIds(database.db, id, values.all));
  } finally {
    await database.close();
  }
}

try {
  await run();
} catch (error) {
  const usage = error instanceof UsageError;
  const away = error instanceof StorageUnavailableError;
  console.error(away ? `DATABASE_URL: the database cannot be used: ${describeFailure(error)}` : describeFailure(error));
  if (usage) console.error(`\n${help}`);
  process.exitCode = usage ? 2 : 1;
}
