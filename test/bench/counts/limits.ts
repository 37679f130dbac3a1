/** What a call runs and allocates in the proxy: figures of V8, which hardly depend on the machine. */
export interface Count {
  /** Function calls. */
  calls: number;
  /** Functions that at least every second call runs. */
  functions: number;
  /** Bytes allocated, collected ones included. */
  bytes: number;
}

/** What is counted, each with what it takes at most. Who needs more raises a limit in the same commit; who needs less lowers it. */
export const limits = {
  small: { calls: 3_410, functions: 1_010, bytes: 146_000 },
  'stream of 50 chunks': { calls: 16_000, functions: 1_160, bytes: 360_000 },
  'cap and token': { calls: 4_110, functions: 1_195, bytes: 173_000 },
  'cap and JWT': { calls: 4_160, functions: 1_200, bytes: 174_000 },
  'cap, token and 50 budgets': { calls: 4_150, functions: 1_150, bytes: 192_000 },
  'rule of data': { calls: 4_430, functions: 1_210, bytes: 240_000 },
  'stream of 50 chunks, rule of data': { calls: 36_500, functions: 1_600, bytes: 1_300_000 },
} satisfies Record<string, Count>;

export type CountedCall = keyof typeof limits;

/** @returns the figures that are above their limit */
export function findExcess(name: CountedCall, count: Count): string[] {
  const limit: Count = limits[name];
  return (Object.keys(limit) as (keyof Count)[]).filter((figure) => count[figure] > limit[figure]);
}
