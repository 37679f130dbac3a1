// Runs an operator's command on the running local stack: node run-on-local-stack.ts <script> [arguments]. Variables that are set
// win over what the stack noted, so that the same command serves any other deployment.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readLocalStackConfig } from './local-stack-config.ts';
import { readRunningServers } from './running-servers.ts';

const { dataFolder } = readLocalStackConfig(process.env, () => {});
const given = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ''));
const script = spawn(process.execPath, process.argv.slice(2), {
  stdio: 'inherit',
  env: { ...readRunningServers(dataFolder), ...given },
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => script.kill(signal));
const [code] = (await once(script, 'exit')) as [number | null];
process.exitCode = code ?? 1;
