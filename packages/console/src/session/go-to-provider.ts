import { beginWithProvider, type ProviderFlow } from '../api/session.ts';

const place = 'agp-console-provider';

/** What this page keeps while its person is at the provider. Storage is kept apart by origin, ports included, as cookies are not. */
export interface KeptFlow extends ProviderFlow {
  /** Path of the page to go on with. */
  returnTo: string;
}

/**
 * Leaves for the identity provider.
 *
 * @throws ApiFailure where it cannot be used
 */
export async function goToProvider(): Promise<void> {
  const { url, ...flow } = await beginWithProvider();
  const { pathname, search } = window.location;
  const returnTo = pathname === '/sign-in' ? '/' : pathname + search;
  localStorage.setItem(place, JSON.stringify({ ...flow, returnTo } satisfies KeptFlow));
  window.location.assign(url);
}

/** What {@link goToProvider} kept; it works once. Null where this browser has not left for the provider. */
export function takeKeptFlow(): KeptFlow | null {
  try {
    const kept = localStorage.getItem(place);
    localStorage.removeItem(place);
    return kept === null ? null : (JSON.parse(kept) as KeptFlow);
  } catch {
    return null;
  }
}
