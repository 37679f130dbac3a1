import { findOutlineFault } from './find-outline-fault.ts';

/** Whether a text has more `{` and `[` than a bound, those in strings included. Far cheaper than a pass over each character. */
export function hasMoreBrackets(text: string, bound: number): boolean {
  if (text.length <= bound) return false;
  let count = 0;
  for (const bracket of ['{', '['])
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      count += 1;
      if (count > bound) return true;
    }
  return false;
}

/** Whether JSON, possibly cut off, nests deeper than a bound before the place where it ends or becomes invalid. */
export function nestsDeeperThan(text: string, maxDepth: number): boolean {
  return hasMoreBrackets(text, maxDepth) && findOutlineFault(text, maxDepth) === 'too_deep';
}
