import { join } from 'node:path';
import { toLinesText } from '@agp/core/text';
import { ConfigError, every, findStrangeVariables } from '@agp/runtime';
import { openGuard, stopLeftovers } from '../guard/guard.ts';
import { type LocalStackConfig, readLocalStackConfig, StartError } from '../local-stack-config.ts';
import { removeNotes } from '../running-servers.ts';
import { claimDataFolder, explainDataFolder } from './data-folder.ts';
import { type LocalStack, startLocalStack } from './start-local-stack.ts';

/** The text for the terminal once everything is up: the addresses, the key, and two lines to copy. */
function writeWelcome(stack: LocalStack, seconds: number): string {
  const { proxyUrl, managementUrl, consoleUrl, generatedKey, asksForTokens } = stack;
  const body = JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hello' }] });
  const header = asksForTokens ? 'X-Agent-Token: agp_...' : 'X-Agent-Name: my-agent';
  const key = generatedKey ?? '$MANAGEMENT_API_KEY';
  return `
Everything is up after ${seconds.toFixed(1)} s.

  proxy           ${proxyUrl}
  management API  ${managementUrl}   (description: ${managementUrl}/docs)
  management key  ${generatedKey ?? 'the one you set'}

See it in a browser; the link works once, within ten minutes, and "npm run agp -- console link" makes another:

  ${consoleUrl}

${asksForTokens ? 'Every agent needs a token: npm run agp -- tokens create my-agent\n\n' : ''}Send a request through the proxy, to the simulated provider:

  curl -s ${proxyUrl}/demo/v1/chat/completions -H 'Content-Type: application/json' -H '${header}' -d '${body}'

See what was recorded:

  curl -s ${managementUrl}/api/v1/events -H "Authorization: Bearer ${key}"

Ctrl-C stops everything; the data stays.
`;
}

function describe(error: unknown, { dataFolder }: LocalStackConfig): string {
  if (!(error instanceof Error)) return String(error);
  const isExplained = error instanceof StartError || error instanceof ConfigError;
  if (isExplained) return toLinesText(error.message);
  const { path = '' } = error as NodeJS.ErrnoException;
  const isData = typeof path === 'string' && `${path}/`.startsWith(`${dataFolder}/`);
  return toLinesText(isData ? explainDataFolder(path, error).message : (error.stack ?? error.message));
}

/** Warns of variables that look like ours and that nothing reads. */
function readEnvironment(): NodeJS.ProcessEnv {
  const environment = { ...process.env };
  for (const name of findStrangeVariables(environment)) {
    delete environment[name];
    console.error(`Nothing reads the variable ${name}: is its name misspelt?`);
  }
  return environment;
}

const stopping = 'Stopping ...';

/** When `npm start` began, in Unix milliseconds: the bootstrap may have installed before us. */
const beganAt = Number(process.env.AGP_BEGAN_AT) || performance.timeOrigin;

/** One Ctrl-C arrives up to three times, from the terminal, npm and the bootstrap; a signal within this time is the same one. */
const sameSignalMs = 1_000;

const config = readLocalStackConfig(process.env, (line) => console.log(line));

async function run(): Promise<number> {
  const environment = readEnvironment();
  using _claim = claimDataFolder(config.dataFolder);
  const recordFile = join(config.dataFolder, 'processes.json');
  await stopLeftovers(recordFile);
  removeNotes(config.dataFolder);
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
  // A killed bootstrap passes no signals on, and leaves us with another parent.
  const parent = process.ppid;
  every(500, () => process.ppid !== parent && ended.resolve({ code: 1, reason: stopping, running: true }));

  const onUnexpectedExit = (reason: string) =>
    ended.resolve({ code: 1, reason: `${reason}. ${stopping}`, running: true });
  startLocalStack({ config, environment, guard, onUnexpectedExit, stopping: stopAll.signal }).then(
    (stack) => console.log(writeWelcome(stack, (Date.now() - beganAt) / 1_000)),
    (error: unknown) => ended.resolve({ code: 1, reason: describe(error, config) }),
  );
  const { code, reason, running } = await ended.promise;
  stopAll.abort();
  (code === 0 ? console.log : console.error)(reason);
  await guard.stop();
  removeNotes(config.dataFolder);
  if (running) console.log('Stopped.');
  return code;
}

process.exit(
  await run().catch((error: unknown) => {
    console.error(describe(error, config));
    return 1;
  }),
);
