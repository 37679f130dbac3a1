import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '@agp/runtime';
import { Presets, SingleBar } from 'cli-progress';
import { readLocalStackConfig } from '../local-stack-config.ts';
import { readNote } from '../running-servers.ts';
import { makeConsoleLink } from '../start/make-console-link.ts';
import { type DemoConfig, DemoNotReadyError, readDemoConfig } from './demo-config.ts';
import { expectRunningStack, formatResult, runDemo, turnCount } from './run-demo.ts';
import { failOften, isInUse, setScene } from './scene.ts';

const bar = new SingleBar(
  { format: 'conversations {bar} {value}/{total} answers  {agent}', hideCursor: true, noTTYOutput: true },
  Presets.shades_classic,
);

/** Between two rounds of conversations, in milliseconds. */
const paceMs = 60_000;

const inUse =
  'Something was recorded already, so no nine days before are made up. For these, stop npm start, and set ' +
  'AGP_DATA_DIR to a new folder, such as /tmp/agp-demo, for npm start and npm run demo.\n';

/** Where nine days and a busy morning can be made: the local database, if nothing was recorded yet. It says so if something was. */
async function findEmptyDatabase(config: DemoConfig): Promise<string | null> {
  const { dataFolder } = readLocalStackConfig(process.env, () => {});
  const { DATABASE_URL: url = null } = readNote(dataFolder, 'servers').migrator ?? {};
  if (url === null || !(await isInUse(config))) return url;
  console.log(inUse);
  return null;
}

try {
  const config = readDemoConfig(process.env);
  await expectRunningStack(config);
  const databaseUrl = await findEmptyDatabase(config);
  console.log(`Agents talk to the simulated provider through ${config.proxyUrl}, with the official clients.\n`);
  bar.start(turnCount, 0, { agent: '' });
  const onTurn = (agent: string) => bar.increment({ agent });
  const result =
    databaseUrl === null
      ? await runDemo(config, onTurn)
      : (await setScene(config, databaseUrl, { rounds: 1, onTurn })).result;
  bar.update({ agent: '' });
  bar.stop();
  await failOften(config, 15);
  const consoleUrl = await makeConsoleLink(config.managementUrl, config.managementKey);
  console.log(formatResult(config, result, consoleUrl));
  if (databaseUrl !== null)
    console.log('Nine days before, policies, caps, refusals and failures were made up in the database.');
  console.log('The agents go on, a round a minute, until Ctrl-C.');
  for (;;) {
    await sleep(paceMs);
    await expectRunningStack(config);
    // Some are refused by then: by a cap, a policy, or somebody who tries the kill switch.
    await runDemo(config, () => {}).catch(() => {});
    await failOften(config, 3);
  }
} catch (error) {
  bar.stop();
  if (!(error instanceof DemoNotReadyError || error instanceof ConfigError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
