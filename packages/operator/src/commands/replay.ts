import { replayKeptEvents } from '@agp/bus';
import { z } from 'zod';
import { withBus } from '../connect.ts';
import { CommandError, print, runCommand, UsageError } from '../run-command.ts';

function readSince(given: string | undefined): Date {
  const time = z.iso.datetime({ offset: true }).safeParse(given);
  if (!time.success) throw new UsageError('--since must be a time with its zone, such as 2026-11-21T03:00:00Z');
  const since = new Date(time.data);
  if (since.getTime() > Date.now()) throw new UsageError('--since is in the future');
  return since;
}

await runCommand({
  help: `Publishes the events that came since a time to the event stream again, for a database that was restored to an earlier point. The
writers record those that it lacks and pass over the others. NATS keeps events for EVENT_KEEP_HOURS of the writer. It begins five
minutes before the time that you give, for clocks that differ, and says what became of every message from there to the last.

usage: npm run replay -- --since <time>     when the backup was begun, for example 2026-11-21T03:00:00Z

Reads NATS_URL (of the user operator; it may stand in a file, named by NATS_URL_FILE) and NATS_CA_FILE. Safe to run again.
Exit codes: 0 done, 1 failed or not all of that time is kept, 2 wrong usage.`,
  options: { since: { type: 'string' } },
  run(values) {
    const since = readSince(values.since);
    return withBus(async (connection) => {
      const { events, messages, keptFrom, ...rest } = await replayKeptEvents(connection, since);
      print(`published ${events} events again, in ${messages} messages`);
      print(
        `of the kept messages ${rest.first} to ${rest.last}: ${messages} published, ${rest.copies} left out as copies of these, ` +
          `${rest.notKept} no longer kept`,
      );
      if (keptFrom === null) return;
      throw new CommandError(
        `not all is kept of what came between ${since.toISOString()} and ${keptFrom.toISOString()}`,
      );
    });
  },
});
