const name = 'agp-console-half';

const toText = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/**
 * The page's half of a session: 256 random bits in base64url, made once and kept by the browser for this origin. The other half is the
 * cookie, which a browser also sends to other servers on the same host, whatever their port; so neither half opens anything alone.
 */
export function readHalf(): string {
  const kept = localStorage.getItem(name);
  if (kept !== null && /^[\w-]{43}$/.test(kept)) return kept;
  const made = toText(crypto.getRandomValues(new Uint8Array(32)));
  localStorage.setItem(name, made);
  return made;
}

/** What every request to the API carries. */
export const consoleHeaders = (): Record<string, string> => ({ 'X-Agp-Console': readHalf() });
