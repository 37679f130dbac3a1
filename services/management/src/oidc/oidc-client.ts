import { toLineText } from '@agp/core/text';
import { createEgress, type EgressSettings, fetchBy } from '@agp/runtime/egress';
import type { ManagementConfig } from '@agp/settings';
import * as client from 'openid-client';
import { maxPersonName, maxSubject, providerSeconds } from '../limits.ts';

export interface Person {
  issuer: string;
  /** The provider's id of them, which it gives nobody else. */
  subject: string;
  name: string;
  claims: Readonly<Record<string, unknown>>;
}

type Settings = Pick<
  ManagementConfig,
  'oidcIssuer' | 'oidcClientId' | 'oidcClientSecret' | 'oidcScope' | 'oidcRoleClaim' | 'consoleOrigin'
> &
  EgressSettings;

function nameOf(claims: Readonly<Record<string, unknown>>, subject: string): string {
  const names = [claims.preferred_username, claims.email, claims.name];
  const name = names.find((each): each is string => typeof each === 'string' && each.trim() !== '') ?? subject;
  return toLineText(name, maxPersonName);
}

/** Authorization code flow, with PKCE, state and nonce. */
export class OidcClient {
  readonly #settings: Settings;
  /** Undefined leaves it to the client. */
  readonly #fetch: ReturnType<typeof fetchBy>;
  #discovered: Promise<client.Configuration> | undefined;
  #secret: string | undefined;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#fetch = fetchBy(createEgress(settings), providerSeconds * 1_000);
  }

  get redirectUri(): string {
    return `${this.#settings.consoleOrigin}/console/oidc/callback`;
  }

  /** Read from the provider at the first sign-in, since the API is up without it, and once the secret has changed. */
  #discover(): Promise<client.Configuration> {
    const { oidcIssuer = '', oidcClientId = '', oidcClientSecret } = this.#settings;
    if (oidcClientSecret !== this.#secret) this.#discovered = undefined;
    this.#secret = oidcClientSecret;
    const isPlain = oidcIssuer.startsWith('http:');
    this.#discovered ??= client
      .discovery(
        new URL(oidcIssuer),
        oidcClientId,
        oidcClientSecret,
        oidcClientSecret === undefined ? client.None() : undefined,
        {
          timeout: providerSeconds,
          ...(isPlain && { execute: [client.allowInsecureRequests] }),
          ...(this.#fetch && { [client.customFetch]: this.#fetch as client.CustomFetch }),
        },
      )
      .catch((error: unknown) => {
        // The next person tries again.
        this.#discovered = undefined;
        throw error;
      });
    return this.#discovered;
  }

  async begin(): Promise<{ url: URL; state: string; nonce: string; verifier: string }> {
    const configuration = await this.#discover();
    const [state, nonce, verifier] = [client.randomState(), client.randomNonce(), client.randomPKCECodeVerifier()];
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: this.redirectUri,
      scope: this.#settings.oidcScope,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    });
    return { url, state, nonce, verifier };
  }

  /** Exchanges the code for who it is. Throws if the provider refuses, or anything does not belong to what was begun. */
  async finish(query: string, begun: { state: string; nonce: string; verifier: string }): Promise<Person> {
    const configuration = await this.#discover();
    const tokens = await client.authorizationCodeGrant(configuration, new URL(`${this.redirectUri}${query}`), {
      expectedState: begun.state,
      expectedNonce: begun.nonce,
      pkceCodeVerifier: begun.verifier,
      idTokenExpected: true,
    });
    const idClaims = tokens.claims();
    if (idClaims === undefined || idClaims.sub.length > maxSubject) throw new TypeError('no usable id token');
    const claims = Object.hasOwn(idClaims, this.#settings.oidcRoleClaim.split('.')[0] ?? '')
      ? idClaims
      : { ...(await this.#readUserInfo(configuration, tokens.access_token, idClaims.sub)), ...idClaims };
    return {
      issuer: this.#settings.oidcIssuer ?? '',
      subject: idClaims.sub,
      name: nameOf(claims, idClaims.sub),
      claims,
    };
  }

  /** Some providers tell roles there alone. */
  async #readUserInfo(configuration: client.Configuration, accessToken: string, subject: string) {
    if (configuration.serverMetadata().userinfo_endpoint === undefined) return {};
    return client.fetchUserInfo(configuration, accessToken, subject);
  }
}

export const isDenied = (error: unknown): boolean => error instanceof client.AuthorizationResponseError;
