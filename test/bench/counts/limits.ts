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
  small: { calls: 3_270, functions: 962, bytes: 138_000 },
  'stream of 50 chunks': { calls: 22_000, functions: 1_092, bytes: 500_000 },
  'cap and token': { calls: 3_900, functions: 1_075, bytes: 160_000 },
  'cap and JWT': { calls: 3_920, functions: 1_078, bytes: 162_000 },
  'cap, token and 50 budgets': { calls: 3_960, functions: 1_080, bytes: 175_000 },
  'rule of data': { calls: 6_600, functions: 1_340, bytes: 370_000 },
  'stream of 50 chunks, rule of data': { calls: 90_000, functions: 1_450, bytes: 3_800_000 },
} satisfies Record<string, Count>;

export type CountedCall = keyof typeof limits;

/** @returns the figures that are above their limit */
export function findExcess(name: CountedCall, count: Count): string[] {
  const limit: Count = limits[name];
  return (Object.keys(limit) as (keyof Count)[]).filter((figure) => count[figure] > limit[figure]);
}
