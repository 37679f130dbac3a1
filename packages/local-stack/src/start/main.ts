import { join } from 'node:path';
import { toLinesText } from '@agp/core/text';
import { ConfigError } from '@agp/runtime';
import { NoAccountError } from '../binaries/postgres-account.ts';
import { MissingServerError } from '../binaries/server-binary.ts';
import { openGuard, stopLeftovers } from '../guard/guard.ts';
import { readLocalStackConfig } from '../local-stack-config.ts';
import { MigrationError } from '../run-migrations.ts';
import { removeRunningNotes } from '../running-servers.ts';
import { InitDatabaseError } from '../servers/postgres.ts';
import { MissingDataError } from '../servers/postgres-folder.ts';
import { ServerStartError } from '../servers/server.ts';
import { claimDataFolder } from './claim-data-folder.ts';
import { StartError } from './start-error.ts';
import { startLocalStack } from './start-local-stack.ts';
import { writeWelcome } from './write-welcome.ts';

/** Errors whose message is all that the user needs. */
const explained = [
  StartError,
  ConfigError,
  MissingServerError,
  NoAccountError,
  InitDatabaseError,
  MissingDataError,
  MigrationError,
  ServerStartError,
];

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isExplained = explained.some((kind) => error instanceof kind);
  return toLinesText(isExplained ? error.message : (error.stack ?? error.message));
}

const stopping = 'Stopping ...';

/** When the command began that we are a part of, in Unix milliseconds: the bootstrap may have installed before us. */
const beganAt = Number(process.env.AGP_BEGAN_AT) || performance.timeOrigin;

/** One Ctrl-C can arrive twice, from the terminal and passed on by npm; only a later one is a second. */
const sameSignalMs = 1_000;

async function run(): Promise<number> {
  const config = readLocalStackConfig(process.env, (line) => console.log(line));
  using _claim = claimDataFolder(config.dataFolder);
  const recordFile = join(config.dataFolder, 'processes.json');
  await stopLeftovers(recordFile);
  removeRunningNotes(config.dataFolder);
  const guard = openGuard({ recordFile });
  const ended = Promise.withResolvers<{ code: number; reason: string; running?: true }>();
  const stopAll = new AbortController();
  let signalledAt: number | null = null;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      if (signalledAt !== null && performance.now() - signalledAt > sameSignalMs) guard.kill();
      signalledAt ??= performance.now();
      stopAll.abort();
      ended.resolve({ code: 0, reason: stopping, running: true });
    });
  // The bootstrap that started us is gone, killed: nobody is left to pass signals on.
  const parent = process.ppid;
  setInterval(
    () => process.ppid !== parent && ended.resolve({ code: 1, reason: stopping, running: true }),
    500,
  ).unref();

  const onUnexpectedExit = (reason: string) =>
    ended.resolve({ code: 1, reason: `${reason}. ${stopping}`, running: true });
  startLocalStack({ config, environment: process.env, guard, onUnexpectedExit, stopping: stopAll.signal }).then(
    (stack) => console.log(writeWelcome(stack, (Date.now() - beganAt) / 1_000)),
    (error: unknown) => ended.resolve({ code: 1, reason: describe(error) }),
  );
  const { code, reason, running } = await ended.promise;
  stopAll.abort();
  (code === 0 ? console.log : console.error)(reason);
  await guard.stop();
  removeRunningNotes(config.dataFolder);
  if (running) console.log('Stopped.');
  return code;
}

process.exit(
  await run().catch((error: unknown) => {
    console.error(describe(error));
    return 1;
  }),
);
