import { describeFrame, nameOwner, type Sample } from './cpu-profile.ts';
import { type BusyStretch, findBlocker, findBusyStretches } from './find-blockers.ts';
import { sumBy } from './print-shares.ts';

const thresholdMs = 2;
const shown = 12;
const pieces = 'many pieces of work';

const nameBlocker = (stretch: BusyStretch) => {
  const frame = findBlocker(stretch);
  return frame === null ? pieces : describeFrame(frame);
};

const sumMs = (stretches: readonly BusyStretch[]) => stretches.reduce((sum, { ms }) => sum + ms, 0);

/** Prints who kept the loop from resting for long, by the sum of their times. */
export function printBlockers(samples: readonly Sample[], perSecond: number): void {
  const stretches = findBusyStretches(samples, thresholdMs);
  const seconds = samples.reduce((sum, { ms }) => sum + ms, 0) / 1_000;
  const times = (stretches.length / seconds).toFixed(1);
  console.log(
    `\nAt ${perSecond} requests/s the loop was busy for more than ${thresholdMs} ms on end ${times} times a second. At least half of that in:`,
  );
  const groups = [...Map.groupBy(stretches, nameBlocker)].toSorted(([, a], [, b]) => sumMs(b) - sumMs(a));
  for (const [name, each] of groups.slice(0, shown)) {
    const worst = `worst ${each[0]?.ms.toFixed(1).padStart(5)} ms`;
    console.log(
      `  ${String(each.length).padStart(4)} times, ${sumMs(each).toFixed(0).padStart(5)} ms in all, ${worst}  ${name}`,
    );
  }
  const inPieces = groups.find(([name]) => name === pieces)?.[1] ?? [];
  const owners = sumBy(
    inPieces.flatMap((stretch) => stretch.samples),
    ({ frame }) => nameOwner(frame),
  );
  const parts = owners.slice(0, 8).map(([owner, ms]) => `${owner} ${((100 * ms) / sumMs(inPieces)).toFixed(0)} %`);
  if (parts.length > 0) console.log(`  ${pieces}: ${parts.join(', ')}`);
}
