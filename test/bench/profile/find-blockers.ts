import { type Frame, isDispatcher, isIdle, type Sample } from './cpu-profile.ts';

/** A time in which the loop did not come to rest. */
export interface BusyStretch {
  ms: number;
  samples: Sample[];
}

/** Finds the stretches between two idle samples that took longer than `thresholdMs`, the longest first. */
export function findBusyStretches(samples: readonly Sample[], thresholdMs: number): BusyStretch[] {
  const stretches: BusyStretch[] = [];
  let current: BusyStretch = { ms: 0, samples: [] };
  for (const sample of samples) {
    if (!isIdle(sample.frame)) {
      current.ms += sample.ms;
      current.samples.push(sample);
      continue;
    }
    if (current.ms > thresholdMs) stretches.push(current);
    current = { ms: 0, samples: [] };
  }
  if (current.ms > thresholdMs) stretches.push(current);
  return stretches.toSorted((a, b) => b.ms - a.ms);
}

/** The deepest function that at least half of a stretch was spent in; null where that was no more than many pieces of work. */
export function findBlocker({ ms, samples }: BusyStretch): Frame | null {
  const within = new Map<Frame, number>();
  for (const { frame, ms: each } of samples) {
    for (let at: Frame | null = frame; at !== null; at = at.parent) within.set(at, (within.get(at) ?? 0) + each);
  }
  const [deepest] = [...within.keys()]
    .filter((frame) => (within.get(frame) as number) >= ms / 2 && frame.parent !== null && !isDispatcher(frame))
    .toSorted((a, b) => depthOf(b) - depthOf(a));
  return deepest ?? null;
}

function depthOf(frame: Frame): number {
  let depth = 0;
  for (let at = frame.parent; at !== null; at = at.parent) depth += 1;
  return depth;
}
