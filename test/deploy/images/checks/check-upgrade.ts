import { readSnippets } from '../../../docs/read-snippets.ts';
import { sendLoad } from '../../../lifecycle/rolling/send-load.ts';
import { before } from '../../../prove/release.ts';
import type { ImageTarget } from '../build-images.ts';
import type { ComposeProject } from '../compose-project.ts';
import { countMixedChains, readEventIds, verifySessions } from './read-records.ts';
import { waitUntil } from './wait-until.ts';

/** A release on this machine: its compose file, and the names of its images. */
export interface InstalledRelease {
  composeFile?: string;
  toTag: (target: ImageTarget) => string;
}

/** Engine, balancer, servers and twelve processes share the machine; `prove` has 50 a second without an engine. */
const perSecond = 20;

/** The commands of docs/operate.md for an upgrade, without those that make images and secrets, which are there. */
export function readCommands(): string {
  const lines = (readSnippets('docs/operate.md', 'sh upgrade')[0] ?? '').trimEnd().split('\n');
  const made = /^docker compose .*build|^npm run secrets/;
  return lines.filter((line) => !made.test(line)).join('\n');
}

/** The same the other way: proxies before writers, and the schema stays. */
export function turnRound(commands: string): string {
  const lines = commands.split('\n').filter((line) => !/run --rm/.test(line));
  const [others, proxies] = [lines.filter((line) => /writer/.test(line)), lines.filter((line) => !/writer/.test(line))];
  return [...proxies, ...others].join('\n');
}

/**
 * Brings a project of the release before to this one under a load, as docs/operate.md says, and back: no request fails, each has its
 * event, and chains hold events of both.
 *
 * @returns what to print
 */
export async function checkUpgrade(
  project: ComposeProject,
  from: InstalledRelease,
  to: InstalledRelease,
): Promise<string> {
  const ending = new AbortController();
  const loading = sendLoad(await project.urlOf('balancer', 8080), ending.signal, perSecond);
  const began = performance.now();
  project.use(to);
  await project.shell(readCommands());
  const upSeconds = (performance.now() - began) / 1_000;
  project.use(from);
  await project.shell(turnRound(readCommands()));
  const backSeconds = (performance.now() - began) / 1_000 - upSeconds;
  ending.abort();
  const sent = await loading;
  const failures = sent.flatMap(({ kind, failure, endedAt }) =>
    failure === null ? [] : [`${new Date(endedAt).toISOString()} ${kind}: ${failure}`],
  );
  if (failures.length > 0) {
    const balancer = await project.run('logs', '--no-color', '--timestamps', '--tail', '100', 'balancer');
    throw new Error(
      `${failures.length} of ${sent.length} failed:\n${failures.slice(0, 20).join('\n')}\nthe balancer said:\n${balancer}`,
    );
  }
  const url = await project.urlOf('balancer', 8081);
  const ids = new Set(sent.map(({ eventId }) => eventId ?? 'none'));
  await waitUntil('an event of each request', async () =>
    ids.isSubsetOf(new Set(await readEventIds(url, project.apiKey).catch(() => []))),
  );
  const broken = await verifySessions(url, project.apiKey);
  if (broken.length > 0) throw new Error(`chains broken by the upgrade: ${broken}`);
  const mixed = await countMixedChains(url, project.apiKey);
  if (mixed === 0) throw new Error('no chain has events of both releases');
  return (
    `from ${before.version} to this release in ${upSeconds.toFixed(0)} s and back in ${backSeconds.toFixed(0)} s under ${perSecond} requests/s: ` +
    `${sent.length} requests, none failed, each has its event, every chain is whole, ${mixed} have events of both`
  );
}
