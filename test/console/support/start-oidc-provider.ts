import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

/** Who can sign in at the provider, by login, with the claim `roles`. */
export type Accounts = Record<string, { name: string; roles: unknown }>;

export interface OidcProvider extends AsyncDisposable {
  issuer: string;
  clientId: string;
  clientSecret: string;
}

export interface OidcProviderOptions {
  /** Where it may send browsers back to. */
  redirectUri: string;
  accounts: Accounts;
  /** Whether claims stand in the ID token; else its user info alone has them. */
  inIdToken?: boolean;
}

/** Starts a certified OpenID provider on this machine, with the pages for development where any password is right. */
export async function startOidcProvider({
  redirectUri,
  accounts,
  inIdToken,
}: OidcProviderOptions): Promise<OidcProvider> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [clientId, clientSecret] = ['agp-console', 'a-secret-of-the-client-0123456789'];
  const provider = new Provider(issuer, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri] }],
    claims: { openid: ['sub'], profile: ['name', 'preferred_username'], roles: ['roles'] },
    scopes: ['openid', 'profile', 'roles'],
    conformIdTokenClaims: inIdToken !== true,
    cookies: { keys: ['a key of its cookies'] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: true } },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: async () => ({ sub: id, preferred_username: accounts[id]?.name ?? id, roles: accounts[id]?.roles }),
    }),
  });
  const answer = provider.callback();
  server.on('request', (request, response) => void answer(request, response));
  return {
    issuer,
    clientId,
    clientSecret,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
