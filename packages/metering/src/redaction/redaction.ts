import { createTextSearch, type Found, type SearchPattern, type TextSearch } from '@agp/pii';
import type { CheckedText, Replacement } from './checked-texts.ts';
import type { Put } from './replace-places.ts';

/** What is searched for; a worker gets it as it is. */
export interface SearchConfig {
  kinds: readonly string[];
  patterns: readonly SearchPattern[];
  /** Labels of the session are found too, of the kind {@link labelKind}. */
  findsLabels: boolean;
}

export const labelKind = '/label';

/** What becomes of findings in an answer; made for one by who knows its rules. */
export interface Redactor {
  config: SearchConfig;
  search: TextSearch;
  /** What stands in place of a finding; null if it stays, or ends the answer. Asked once for each. */
  put: Put;
  /** Gets what cannot be searched, in words. @returns whether it may pass all the same */
  passesUnread(what: string): boolean;
  /** Asks checks outside about all texts, or of more than they take, null; absent if no rule does. @returns what they put in */
  check?: ((texts: readonly CheckedText[] | null) => Promise<readonly Replacement[]>) | undefined;
  /** Whether an answer passes that is longer than may wait for those checks. */
  passesUnchecked?: (() => boolean) | undefined;
  /** The answer ends here. */
  readonly hasEnded: boolean;
}

const labels = /\[[a-z][a-z0-9_]{0,63} \d{1,4}\]/g;
const openLabel = /\[(?:[a-z][a-z0-9_]{0,63}(?: \d{0,4})?)?$/;

const nothingFound: TextSearch = { nsPerUnit: 0, find: () => [], findOpen: ({ length }) => length };

export function openSearch({ kinds, patterns, findsLabels }: SearchConfig): TextSearch {
  const search = kinds.length === 0 ? nothingFound : createTextSearch(kinds, patterns);
  if (!findsLabels) return search;
  return {
    nsPerUnit: search.nsPerUnit,
    find(text) {
      const found = search.find(text);
      if (!text.includes('[')) return found;
      let at = 0;
      const isFree = ({ start, end }: Found) => {
        while ((found[at]?.end ?? Number.POSITIVE_INFINITY) <= start) at += 1;
        return (found[at]?.start ?? Number.POSITIVE_INFINITY) >= end;
      };
      const all = [...text.matchAll(labels)].map(({ 0: label, index }) => {
        return { kind: labelKind, start: index, end: index + label.length };
      });
      return [...found, ...all.filter(isFree)].sort((one, other) => one.start - other.start);
    },
    findOpen(text) {
      const at = openLabel.exec(text.slice(-72))?.index;
      const open = search.findOpen(text);
      return at === undefined ? open : Math.min(open, Math.max(0, text.length - 72) + at);
    },
  };
}
