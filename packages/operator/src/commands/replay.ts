import { parseArgs } from 'node:util';
import { replayKeptEvents } from '@agp/bus';
import { describeFailure } from '@agp/runtime';
import { z } from 'zod';
import { connectOperator } from '../connect-operator.ts';
import { UsageError } from '../usage-error.ts';

const help = `Publishes the events that came since a time to the event stream again, for a database that was restored to an earlier point. The
writers record those that it lacks and pass over the others. NATS keeps events for EVENT_KEEP_HOURS of the writer. It begins five
minutes before the time that you give, for clocks that differ, and says what became of every message from there to the last.

usage: npm run replay -- --since <time>     when the backup was begun, for example 2026-11-21T03:00:00Z

Reads NATS_URL (of the user operator; it may stand in a file, named by NATS_URL_FILE) and NATS_CA_FILE. Safe to run again.
Exit codes: 0 done, 1 failed or not all of that time is kept, 2 wrong usage.`;

/** @returns null where only help was asked for */
function readSince(): Date | null {
  let given: { since?: string | undefined; help?: boolean | undefined };
  try {
    given = parseArgs({ options: { since: { type: 'string' }, help: { type: 'boolean', short: 'h' } } }).values;
  } catch (error) {
    throw new UsageError(describeFailure(error));
  }
  if (given.help) return null;
  const time = z.iso.datetime({ offset: true }).safeParse(given.since);
  if (!time.success) throw new UsageError('--since must be a time with its zone, such as 2026-11-21T03:00:00Z');
  const since = new Date(time.data);
  if (since.getTime() > Date.now()) throw new UsageError('--since is in the future');
  return since;
}

async function run(): Promise<void> {
  const since = readSince();
  if (since === null) return console.log(help);
  const connection = await connectOperator();
  try {
    const { events, messages, keptFrom, ...rest } = await replayKeptEvents(connection, since);
    console.log(`published ${events} events again, in ${messages} messages`);
    console.log(
      `of the kept messages ${rest.first} to ${rest.last}: ${messages} published, ${rest.copies} left out as copies of these, ` +
        `${rest.notKept} no longer kept`,
    );
    if (keptFrom !== null)
      throw new Error(`not all is kept of what came between ${since.toISOString()} and ${keptFrom.toISOString()}`);
  } finally {
    await connection.close();
  }
}

try {
  await run();
} catch (error) {
  const usage = error instanceof UsageError;
  console.error(usage ? `${error.message}\n\n${help}` : describeFailure(error));
  process.exitCode = usage ? 2 : 1;
}
