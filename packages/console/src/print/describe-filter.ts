/** What a printed list was narrowed to, in the words of its address, such as `model "gpt-4o", from "7d"`. */
export const describeFilter = (filter: object): string =>
  Object.entries(filter)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key} ${JSON.stringify(value)}`)
    .join(', ');
