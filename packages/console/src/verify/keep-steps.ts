import type { CheckedLink } from './check-chain.ts';

const most = { first: 100, last: 20 };

/** The first steps of a check and its last ones, where a fault is: a chain may have a hundred thousand. */
export function keepSteps(kept: readonly CheckedLink[], more: readonly CheckedLink[]): readonly CheckedLink[] {
  const all = [...kept, ...more];
  return all.length <= most.first + most.last ? all : [...all.slice(0, most.first), ...all.slice(-most.last)];
}
