import { parseJson } from '@agp/core/json';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { readCookies, setCookie } from '../console/session-cookie.ts';
import type { SignInPlace } from '../console/sign-in-place.ts';

/** What a browser keeps while its person is at the provider: no other browser can end the sign-in that it began. */
export interface OidcFlow {
  state: string;
  nonce: string;
  /** Of PKCE. */
  verifier: string;
  /** Hex digest of the page's half of the session to come. */
  halfSha256: string;
  /** Path of the page to go on with. */
  returnTo: string;
}

const name = 'agp_console_oidc';
const lifeSeconds = 600;
const maxCookieBytes = 4_096;

const flowSchema = z.strictObject({
  state: z.string().min(1),
  nonce: z.string().min(1),
  verifier: z.string().min(1),
  halfSha256: z.string().regex(/^[0-9a-f]{64}$/),
  returnTo: z.string().startsWith('/'),
});

/** Keeps a flow in a cookie. `Lax`: the provider's redirect, which comes from another site, must bring it back. */
export function keepFlow(response: Response, flow: OidcFlow, place: SignInPlace): void {
  const text = Buffer.from(JSON.stringify(flow)).toString('base64url');
  setCookie(response, [name, text], place, { sameSite: 'Lax', maxAge: lifeSeconds });
}

/** The flow that a browser brings back; undefined where there is none. */
export function readFlow(request: Request, place: SignInPlace): OidcFlow | undefined {
  const [text = ''] = readCookies(request, name, place);
  if (text === '' || text.length > maxCookieBytes) return undefined;
  try {
    return flowSchema.safeParse(parseJson(Buffer.from(text, 'base64url').toString())).data;
  } catch {
    return undefined;
  }
}

/** A flow works once. */
export function forgetFlow(response: Response, place: SignInPlace): void {
  setCookie(response, [name, ''], place, { sameSite: 'Lax', maxAge: 0 });
}

const longestPath = 1_024;

/** The path to return to: one of our own page's, or `/`. */
export function toReturnPath(asked: unknown, isPagePath: (path: string) => boolean): string {
  if (typeof asked !== 'string' || asked.length > longestPath || !/^\/(?![/\\])[\x21-\x7e]*$/.test(asked)) return '/';
  const base = 'http://console.invalid';
  const url = URL.parse(asked, base);
  if (url === null || url.origin !== base || !isPagePath(url.pathname)) return '/';
  const path = `${url.pathname}${url.search}`;
  // `/.//evil.test` has become `//evil.test`, which leads to another host.
  return /^\/(?![/\\])/.test(path) ? path : '/';
}
