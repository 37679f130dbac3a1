/** What this product issues, by its prefix: no provider may see one, whatever its state. */
export const ownSecrets = {
  agp_: 'an agent token',
  agm_: 'a key of the management API',
  agl_: 'a sign-in code of the console',
  ags_: 'a session of the console',
} as const;

export type SecretPrefix = keyof typeof ownSecrets;

/** Proxies recognize a token by it wherever an SDK puts its key. */
export const agentTokenPrefix = 'agp_' satisfies SecretPrefix;

/** Any of the prefixes, for a longer pattern. */
export const anySecretPrefix = `(?:${Object.keys(ownSecrets).join('|')})`;
