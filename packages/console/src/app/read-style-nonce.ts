/** The nonce that this answer's policy lets style tags have; empty where the page was served without one. */
export function readStyleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
}
