import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chatRequest } from '../chat-call.ts';
import type { Slice, SliceTimes } from '../latency/slice.ts';
import { startPinned } from '../start-pinned.ts';
import { readCpuProfile, type Sample } from './cpu-profile.ts';
import { printBlockers } from './print-blockers.ts';
import { printShares } from './print-shares.ts';
import type { ProfileOrder } from './profile-on-request.ts';

/** Node's flags for a service that {@link profileProxy} may profile. */
export const profileFlags: readonly string[] = ['--import', `${import.meta.dirname}/profile-on-request.ts`];

const steadyPerSecond = 200;
const steadySeconds = 8;

async function order(child: ChildProcess, what: ProfileOrder): Promise<void> {
  const done = once(child, 'message');
  child.send(what);
  await done;
}

/** Profiles a service while some work is done. The profile is left in the file. */
async function profileWhile<Result>(
  child: ChildProcess,
  file: string,
  work: () => Promise<Result>,
): Promise<{ samples: Sample[]; result: Result }> {
  await order(child, { profile: 'start' });
  const result = await work();
  await order(child, { profile: 'stop', file });
  return { samples: readCpuProfile(file), result };
}

/** The load of `npm run bench:latency`. */
async function runSteadyLoad(url: string): Promise<void> {
  const { child } = await startPinned(`${import.meta.dirname}/../latency/load-generator.ts`, {}, null);
  const headers = { 'content-type': 'application/json', authorization: 'Bearer sk-bench' };
  const load = { perSecond: steadyPerSecond, seconds: steadySeconds, seed: 1, agents: 20 };
  child.send({ urls: [url], headers, body: chatRequest, ...load } satisfies Slice);
  const [{ failures }] = (await once(child, 'message')) as [SliceTimes];
  if (failures.length > 0) console.log(`${failures.length} requests failed: ${failures[0]}`);
  const gone = once(child, 'exit');
  child.disconnect();
  await gone;
}

/**
 * Profiles a proxy that was started with {@link profileFlags}, at full load for the shares, and at a steady one for who blocks its loop.
 * Writes both profiles, for a browser's developer tools.
 *
 * @param runFullLoad @returns how many requests were answered
 */
export async function profileProxy(
  { child, url }: { child: ChildProcess; url: string },
  file: string,
  runFullLoad: () => Promise<number>,
): Promise<void> {
  const full = await profileWhile(child, file, runFullLoad);
  printShares(full.samples, full.result);
  const steadyFile = file.replace(/(\.cpuprofile)?$/, '-steady.cpuprofile');
  const steady = await profileWhile(child, steadyFile, () => runSteadyLoad(url));
  printBlockers(steady.samples, steadyPerSecond);
  console.log(`\nprofiles: ${file}, ${steadyFile}`);
}
