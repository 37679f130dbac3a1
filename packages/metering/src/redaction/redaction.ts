import { createTextSearch, type FoundValue, type SearchPattern, type TextSearch } from '@agp/pii';
import { findOpenLabel, labelPattern } from '@agp/pii/label';
import { TextMemory } from '../text/text-memory.ts';
import type { CheckedText, Replacement } from './checked-texts.ts';
import { gluedLabelKind, labelKind } from './kept-labels.ts';
import { createValueSearch, type KnownValue, standsAlone } from './known-values.ts';
import type { Put } from './replace-places.ts';

/** What is searched for; a worker gets it as it is. */
export interface SearchConfig {
  kinds: readonly string[];
  patterns: readonly SearchPattern[];
  /** Labels are found too, of the kind {@link labelKind}, or {@link gluedLabelKind} if a letter or digit stands beside. */
  findsLabels: boolean;
  /** Looked for as they are, too; none if absent. What is found of them may overlap what is found by its form. */
  values?: readonly KnownValue[];
  /** What is found by its form is looked for as it is in the rest of the body too: a model may have put it into a longer word. */
  repeats?: boolean;
}

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

const nothingFound: TextSearch = { nsPerUnit: 0, find: () => [], findOpen: ({ length }) => length };

/** What was found in texts that come again with each turn of a conversation, by what was looked for. */
export type SearchMemory = TextMemory<readonly FoundValue[]>;

/** @param memory of texts that come again; none for answers, whose texts are new */
export function openSearch(
  { kinds, patterns, findsLabels, values = [] }: SearchConfig,
  memory: SearchMemory | null = null,
): TextSearch {
  const forms = kinds.length === 0 ? nothingFound : createTextSearch(kinds, patterns);
  const isWorthIt = memory !== null && kinds.length > 0;
  const search = isWorthIt ? remember(forms, JSON.stringify([kinds, patterns]), memory) : forms;
  if (findsLabels) return withLabels(search);
  if (values.length === 0) return search;
  // Whoever hands its search over does not search itself.
  let findKnown: ReturnType<typeof createValueSearch> | undefined;
  return {
    nsPerUnit: search.nsPerUnit,
    find(text) {
      findKnown ??= createValueSearch(values);
      return join(search.find(text), findKnown(text));
    },
    findOpen: (text) => search.findOpen(text),
  };
}

/** A text with more findings is searched anew each time: a sender could fill the memory with them. */
const mostRemembered = 8;

/** Of the same text the same is found: kinds and places are kept, no value. */
function remember(search: TextSearch, asked: string, memory: SearchMemory): TextSearch {
  return {
    ...search,
    find(text) {
      const key = TextMemory.keyOf(text, asked);
      const known = key === null ? undefined : memory.get(key);
      if (known !== undefined) return known;
      const found = search.find(text);
      if (key !== null && found.length <= mostRemembered) memory.keep(key, found);
      return found;
    },
  };
}

function withLabels(search: TextSearch): TextSearch {
  return {
    nsPerUnit: search.nsPerUnit,
    find(text) {
      const found = search.find(text);
      if (!text.includes('[')) return found;
      let at = 0;
      const isFree = ({ start, end }: FoundValue) => {
        while ((found[at]?.end ?? Number.POSITIVE_INFINITY) <= start) at += 1;
        return (found[at]?.start ?? Number.POSITIVE_INFINITY) >= end;
      };
      const all = [...text.matchAll(labelPattern)].map(({ 0: label, index: start }) => {
        const end = start + label.length;
        return { kind: standsAlone(text, start, end) ? labelKind : gluedLabelKind, start, end };
      });
      return [...found, ...all.filter(isFree)].sort((one, other) => one.start - other.start);
    },
    findOpen: (text) => Math.min(search.findOpen(text), findOpenLabel(text)),
  };
}

/** What lies within a finding of its own kind is that finding. */
function join(found: readonly FoundValue[], known: readonly FoundValue[]): readonly FoundValue[] {
  if (known.length === 0) return found;
  let at = 0;
  const more = known.filter(({ kind, start, end }) => {
    while ((found[at]?.end ?? Number.POSITIVE_INFINITY) <= start) at += 1;
    const own = found[at];
    return own === undefined || own.kind !== kind || own.start > start || own.end < end;
  });
  return [...found, ...more].sort((one, other) => one.start - other.start);
}
