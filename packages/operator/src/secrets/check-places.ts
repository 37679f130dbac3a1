import { CommandError } from '../run-command.ts';
import type { ServerPlaces } from './list-secrets.ts';
import { readSecret } from './secrets-folder.ts';

const services = ['proxy', 'writer', 'management'];
const databaseUrls = [...services, 'migrator', 'admin'].map((user) => `${user}/database-url`);
type Place = 'postgres' | 'nats' | 'redis' | 'database';
/** The files that contain each place, and the default port of its clients. */
const uses: Record<Place, { paths: readonly string[]; port?: number }> = {
  postgres: { paths: databaseUrls, port: 5432 },
  nats: { paths: [...services, 'operator'].map((user) => `${user}/nats-url`), port: 4222 },
  redis: { paths: services.map((user) => `${user}/redis-url`), port: 6379 },
  database: { paths: databaseUrls },
};
const options = Object.keys(uses) as Place[];

/** Checks that existing URLs, which are not written again, name the places that were asked for. */
export function checkPlaces(folder: string, asked: Partial<Pick<ServerPlaces, Place>>): void {
  const problems = options.flatMap((option) => {
    const place = asked[option];
    const paths = place === undefined ? [] : uses[option].paths.filter((path) => differs(folder, path, option, place));
    return paths.length === 0 ? [] : [`--${option} ${place}: it is another one in ${paths.join(', ')}`];
  });
  if (problems.length === 0) return;
  const advice = `What is there stays: change these files of ${folder}, or name another folder with --folder. Nothing was written.`;
  throw new CommandError([...problems, advice].join('\n'));
}

function differs(folder: string, path: string, option: Place, place: string): boolean {
  const url = readSecret(folder, path);
  if (url === undefined) return false;
  return option === 'database' ? takeApart(url).path !== place : spellOut(url, option) !== spellOut(place, option);
}

function takeApart(url: string) {
  const bare = url.replace(/[a-z+]+:\/\/(?:[^@/?,]*@)?/g, '');
  const [, servers = '', path = ''] = /^([^/?]*)(?:\/([^?]*))?/.exec(bare) ?? [];
  return { servers, path: decodeURIComponent(path) };
}

function spellOut(text: string, option: Place): string {
  const { servers, path } = takeApart(text);
  const isSentinel = /^(?:rediss?\+)?sentinel:/.test(text);
  const usualPort = isSentinel ? 26379 : uses[option].port;
  const withPort = (server: string) => (/:\d+$/.test(server) ? server : `${server}:${usualPort}`);
  const list = servers.split(',').map((server) => withPort(server.trim().toLowerCase()));
  return (isSentinel ? [...list, path] : list).join();
}
