/** JSON of more values takes seconds to parse, and hundreds of megabytes: no request that is meant has so many. */
const maxValues = 1_000_000;

/** Whether some JSON has more values than are parsed. */
export function isTooPopulated(body: { indexOf(text: string, from?: number): number }): boolean {
  let commas = 0;
  for (let at = body.indexOf(','); at >= 0; at = body.indexOf(',', at + 1)) {
    commas += 1;
    if (commas > maxValues) return true;
  }
  return false;
}
