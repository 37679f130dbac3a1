const place = 'agp-console-half';
const bytes = 32;

let kept: string | undefined;

function makeHalf(): string {
  const random = crypto.getRandomValues(new Uint8Array(bytes));
  return btoa(String.fromCharCode(...random))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

/**
 * This page's half of a session, which is useless without the cookie, as the cookie is without it. Cookies are not kept apart by port, so
 * any other server on this host may see the cookie; local storage is kept apart. Base64url, 43 characters.
 */
export function readHalf(): string {
  if (kept !== undefined) return kept;
  try {
    kept = localStorage.getItem(place) ?? undefined;
    if (kept === undefined || kept.length !== 43) {
      kept = makeHalf();
      localStorage.setItem(place, kept);
    }
  } catch {
    // Storage is switched off: the half lasts as long as this page.
    kept ??= makeHalf();
  }
  return kept;
}

/** Headers of every call to our server: no other site's page can send them. */
export function consoleHeaders(): Record<string, string> {
  return { 'X-Agp-Console': readHalf() };
}
