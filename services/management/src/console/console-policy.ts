/**
 * What the console's page may load: everything from here, and nothing inside the page runs or styles but the style elements that carry
 * this answer's nonce. What agents send is shown on the page; if a fault let it in as markup, it could neither run nor send anything.
 *
 * @param nonce of this one answer
 */
export function makeConsolePolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}
