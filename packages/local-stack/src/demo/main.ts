import { ConfigError } from '@agp/runtime';
import { Presets, SingleBar } from 'cli-progress';
import { makeConsoleLink } from '../start/make-console-link.ts';
import { DemoNotReadyError, readDemoConfig } from './demo-config.ts';
import { expectRunningStack, formatResult, runDemo, turnCount } from './run-demo.ts';

const bar = new SingleBar(
  { format: 'conversations {bar} {value}/{total} answers  {agent}', hideCursor: true, noTTYOutput: true },
  Presets.shades_classic,
);

try {
  const config = readDemoConfig(process.env);
  await expectRunningStack(config);
  console.log(`Agents talk to the simulated provider through ${config.proxyUrl}, with the official clients.\n`);
  bar.start(turnCount, 0, { agent: '' });
  const result = await runDemo(config, (agent) => bar.increment({ agent }));
  bar.update({ agent: '' });
  bar.stop();
  const consoleUrl = await makeConsoleLink(config.managementUrl, config.managementKey);
  console.log(formatResult(config, result, consoleUrl));
} catch (error) {
  bar.stop();
  if (!(error instanceof DemoNotReadyError || error instanceof ConfigError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
