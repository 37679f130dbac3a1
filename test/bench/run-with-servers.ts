// Runs a script on private servers with throw-away data: node run-with-servers.ts <script> [arguments]. The script finds them in
// DATABASE_URL (migrated), NATS_URL and REDIS_URL.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { serviceFlags } from '@agp/local-stack';
import { startDurableServers } from '@agp/testing/servers';

await using servers = await startDurableServers(process.env);
const { databaseUrl: DATABASE_URL, natsUrl: NATS_URL, redisUrl: REDIS_URL } = servers;
const script = spawn(process.execPath, [...serviceFlags, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, DATABASE_URL, NATS_URL, REDIS_URL },
});
// The script gets the terminal's signals too: we wait until it has ended, and then stop the servers.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => script.kill(signal));
const [code] = (await once(script, 'exit')) as [number | null];
process.exitCode = code ?? 1;
