import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;

/** A key pair, and what a set says of it. */
export interface TestKey extends KeyPair {
  alg: string;
  jwk: JWK & { kid: string };
}

export async function makeKey(kid: string, alg = 'RS256'): Promise<TestKey> {
  const pair = await generateKeyPair(alg, { extractable: true });
  return { ...pair, alg, jwk: { ...(await exportJWK(pair.publicKey)), kid, alg, use: 'sig' } };
}

export const nowSeconds = () => Math.floor(Date.now() / 1_000);

/** Whatever a test says, also what no issuer would. */
export type TestClaims = Readonly<Record<string, unknown>>;

/** Signs claims, which end in ten minutes if they do not say. */
export function sign(key: TestKey, claims: TestClaims, header: object = {}): Promise<string> {
  return new SignJWT({ exp: nowSeconds() + 600, iat: nowSeconds(), ...claims } as JWTPayload)
    .setProtectedHeader({ alg: key.alg, kid: key.jwk.kid, typ: 'JWT', ...header })
    .sign(key.privateKey, { crit: { 'urn:more': true } });
}

/** An issuer on this machine, whose answers a test can change. */
export interface TestIssuer extends AsyncDisposable {
  issuer: string;
  host: string;
  keys: TestKey[];
  /** Paths that were asked for. */
  asked: string[];
  /** In place of its answers; null gives them back. */
  answer: RequestListener | null;
  /** With the newest key. */
  sign(claims: TestClaims, header?: object): Promise<string>;
}

export async function startTestIssuer(): Promise<TestIssuer> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const test: TestIssuer = {
    issuer: `http://${host}`,
    host,
    keys: [await makeKey('first')],
    asked: [],
    answer: null,
    sign: (claims, header) => sign(test.keys.at(-1) as TestKey, { iss: test.issuer, aud: 'agp', ...claims }, header),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  server.on('request', (request, response) => {
    test.asked.push(request.url ?? '');
    if (test.answer !== null) return test.answer(request, response);
    const body = request.url?.endsWith('/openid-configuration')
      ? { issuer: test.issuer, jwks_uri: `${test.issuer}/keys` }
      : { keys: test.keys.map(({ jwk }) => jwk) };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  return test;
}
