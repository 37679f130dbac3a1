// Runs an operator's command on the running local stack: node run-on-local-stack.ts <migrator|operator> <script> [arguments].
// Variables that are set win over the stack's own, so that the same command works on any other deployment.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { readLocalStackConfig } from '../local-stack-config.ts';
import { type Notes, readNote } from '../running-servers.ts';

const { dataFolder } = readLocalStackConfig(process.env, () => {});
const [role, ...script] = process.argv.slice(2);
const noted: Partial<Notes['servers']['operator']> =
  readNote(dataFolder, 'servers')[role as keyof Notes['servers']] ?? {};
const given = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ''));

async function answers(url: string | undefined): Promise<boolean> {
  if (url === undefined) return false;
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), timeout: 1_000 });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

const command = spawn(process.execPath, script, { stdio: 'inherit', env: { ...noted, ...given } });
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => command.kill(signal));
const [code] = (await once(command, 'exit')) as [number | null];
const isElsewhere = ['DATABASE_URL', 'DATABASE_URL_FILE', 'NATS_URL', 'NATS_URL_FILE'].some((name) => name in given);
// The command itself does not know about the local stack.
if (code === 1 && !isElsewhere && !(await answers(noted.DATABASE_URL))) {
  console.error(
    `No local stack runs on ${dataFolder}. Start it with "npm start", name its folder in AGP_DATA_DIR, ` +
      'or set DATABASE_URL and NATS_URL to run this on another deployment.',
  );
}
process.exitCode = code ?? 1;
