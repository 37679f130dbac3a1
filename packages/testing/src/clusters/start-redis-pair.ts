import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Guard, type ServerBinary, startRedis, startServer } from '@agp/local-stack/servers';
import type { RedisPasswords } from '@agp/operator';
import { sendToRedis } from '../send-to-redis.ts';
import { controlServer, type Server } from '../servers/server.ts';

/** A master, its replica, and a sentinel that knows which is which. */
export interface RedisPair {
  master: Server;
  replica: Server;
  /** Makes the replica the master, as sentinels do once the master is gone: left to themselves they do nothing on a starved machine. */
  promote(): Promise<void>;
  /** Leads to the master, whichever it is, by way of the sentinel; as an administrator. */
  url: string;
}

const masterName = 'agp-master';

export async function startRedisPair(
  binary: ServerBinary,
  folder: string,
  { guard, passwords }: { guard: Guard; passwords: RedisPasswords },
): Promise<RedisPair> {
  const options = { guard, passwords, stopSignals: [] };
  const start = async (name: string) => controlServer(await startRedis(binary, join(folder, name), options));
  const [master, replica] = await Promise.all([start('master'), start('replica')]);
  const { port } = new URL(master.url);
  for (const { url } of [master, replica]) await sendToRedis(url, `CONFIG SET masterauth ${passwords.admin}`);
  await sendToRedis(master.url, 'CONFIG SET repl-diskless-sync-delay 0');
  await sendToRedis(replica.url, `REPLICAOF 127.0.0.1 ${port}`);
  const isLinked = `EVAL "return redis.call('INFO','replication'):find('master_link_status:up') and 1 or 0" 0`;
  while ((await sendToRedis(replica.url, isLinked)) !== ':1') await sleep(20);
  const sentinelFolder = join(folder, 'sentinel');
  const configFile = join(sentinelFolder, 'sentinel.conf');
  await mkdir(sentinelFolder, { recursive: true, mode: 0o700 });
  // The sentinel writes to this file too.
  await writeFile(
    configFile,
    [
      'bind 127.0.0.1',
      `dir ${JSON.stringify(sentinelFolder)}`,
      `sentinel monitor ${masterName} 127.0.0.1 ${port} 1`,
      `sentinel auth-pass ${masterName} ${passwords.admin}`,
      `sentinel down-after-milliseconds ${masterName} 3600000`,
      '',
    ].join('\n'),
    { mode: 0o600 },
  );
  const sentinel = await startServer(
    {
      name: 'sentinel',
      file: binary.file,
      environment: binary.environment,
      args: (sentinelPort) => [configFile, '--sentinel', '--port', String(sentinelPort)],
      readyLine: /\+monitor master/,
      stopSignals: ['SIGTERM'],
      url: (sentinelPort) => `127.0.0.1:${sentinelPort}`,
    },
    { guard, stopSignals: [] },
  );
  const tellSentinel = async (command: string) => {
    const answer = await sendToRedis(`redis://${sentinel.url}`, `SENTINEL ${command}`);
    if (answer !== '+OK') throw new Error(`SENTINEL ${command}: ${answer}`);
  };
  return {
    master,
    replica,
    async promote() {
      await sendToRedis(replica.url, 'REPLICAOF NO ONE');
      await tellSentinel(`REMOVE ${masterName}`);
      await tellSentinel(`MONITOR ${masterName} 127.0.0.1 ${new URL(replica.url).port} 1`);
      await tellSentinel(`SET ${masterName} auth-pass ${passwords.admin} down-after-milliseconds 3600000`);
    },
    url: `redis+sentinel://:${passwords.admin}@${sentinel.url}/${masterName}`,
  };
}
