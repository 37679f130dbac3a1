/**
 * The code of a one-time sign-in link (`/sign-in#code=...`), which is removed from the address at once. What stands behind `#` is never
 * sent to a server.
 *
 * @returns null where the address is no such link
 */
export function takeSignInCode(): string | null {
  const { pathname, hash } = window.location;
  if (pathname !== '/sign-in') return null;
  const code = new URLSearchParams(hash.slice(1)).get('code');
  if (hash !== '') window.history.replaceState(null, '', '/');
  return code === '' ? null : code;
}
