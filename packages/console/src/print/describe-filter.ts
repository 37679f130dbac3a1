/** What a printed list was narrowed to, in the words of its address, such as `model gpt-4o, from 2026-11-01`. */
export const describeFilter = (filter: object): string =>
  Object.entries(filter)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key} ${value}`)
    .join(', ');
