/** Without its case. Of other characters the Kelvin sign alone would become a plain letter. */
export const fold = (name: string) =>
  name.includes('\u212a') ? name.replace(/[^\u212a]+/g, (part) => part.toLowerCase()) : name.toLowerCase();

/** Whether a name is a pattern's, in any case: a pattern is exact, or begins it and ends in `*`. */
export function matchesName(pattern: string, name: string): boolean {
  const wanted = fold(pattern);
  const given = fold(name);
  return wanted.endsWith('*') ? given.startsWith(wanted.slice(0, -1)) : given === wanted;
}

/** The same with `*` anywhere, for any characters, none too; in steps of at most the product of both lengths. */
export function matchesTool(pattern: string, name: string): boolean {
  const [wanted, given] = [fold(pattern), fold(name)];
  let [at, star, resume] = [0, -1, 0];
  for (let index = 0; index < given.length; ) {
    if (wanted[at] === '*') {
      star = at++;
      resume = index;
    } else if (wanted[at] === given[index]) {
      at++;
      index++;
    } else if (star >= 0) {
      at = star + 1;
      index = ++resume;
    } else return false;
  }
  while (wanted[at] === '*') at++;
  return at === wanted.length;
}
