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
  small: { calls: 3_400, functions: 1_005, bytes: 146_000 },
  'stream of 50 chunks': { calls: 20_500, functions: 1_140, bytes: 480_000 },
  'cap and token': { calls: 4_090, functions: 1_190, bytes: 171_000 },
  'cap and JWT': { calls: 4_130, functions: 1_190, bytes: 171_000 },
  'cap, token and 50 budgets': { calls: 4_130, functions: 1_190, bytes: 190_000 },
  'rule of data': { calls: 4_350, functions: 1_200, bytes: 235_000 },
  'stream of 50 chunks, rule of data': { calls: 36_500, functions: 1_600, bytes: 1_300_000 },
} satisfies Record<string, Count>;

export type CountedCall = keyof typeof limits;

/** @returns the figures that are above their limit */
export function findExcess(name: CountedCall, count: Count): string[] {
  const limit: Count = limits[name];
  return (Object.keys(limit) as (keyof Count)[]).filter((figure) => count[figure] > limit[figure]);
}
