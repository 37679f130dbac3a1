/** JSON of more values takes seconds and hundreds of megabytes to parse; no honest request has so many. */
const maxValues = 1_000_000;

export function isTooPopulated(body: { indexOf(text: string, from?: number): number }): boolean {
  let commas = 0;
  for (let at = body.indexOf(','); at >= 0; at = body.indexOf(',', at + 1)) {
    commas += 1;
    if (commas > maxValues) return true;
  }
  return false;
}
