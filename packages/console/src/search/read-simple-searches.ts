import { compact, type RawSearch, readChoice, readPageNumber, readText } from './read-search.ts';

/** A list that is only paged. */
export function readPageSearch(raw: RawSearch): { page?: number | undefined } {
  return compact({ page: readPageNumber(raw) });
}

/** The id of a request that is looked for. */
export function readFindSearch(raw: RawSearch): { id?: string | undefined } {
  return compact({ id: readText(raw, 'id') });
}

export const keyViews = ['keys', 'tokens', 'names'] as const;

/** Which of the secrets are shown: keys where it is absent. */
export function readKeysSearch(raw: RawSearch): { view?: (typeof keyViews)[number] | undefined } {
  return compact({ view: readChoice(raw, 'view', keyViews) });
}
