import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { workspaceFolder } from '../workspace/run-tool.ts';

/** A secret of a deployment, by its path in the folder `secrets`, which in Kubernetes is the key of the Secret `agp-<folder>`. */
export interface SecretRow {
  path: string;
  /** The setting that names its file with `_FILE`; null if no service of ours reads it. */
  setting: string | null;
  what: string;
  /** How it is changed: the command, or what is edited. */
  changed: string;
  /** When another value counts. */
  taken: 'at each connection' | 'within a second' | 'at a restart' | 'at each run' | 'at a reload';
  /** Who mounts it, if Compose does not say. */
  mountedBy?: string;
}

const urlsOf = (user: 'proxy' | 'writer' | 'management'): SecretRow[] =>
  (['database', 'nats', 'redis'] as const).map((server) => ({
    path: `${user}/${server}-url`,
    setting: `${server}Url`,
    what: `address, user and password for ${{ database: 'Postgres', nats: 'NATS', redis: 'Redis' }[server]}`,
    changed: `\`--rotate ${user}\``,
    taken: 'at each connection',
  }));

const added = (path: string) => `\`--add ${path}=FILE\``;

export const secretRows: readonly SecretRow[] = [
  ...urlsOf('proxy'),
  {
    ...{ path: 'proxy/check-secret', setting: 'checkSecret', mountedBy: 'proxy' },
    ...{ what: 'signs what checks are asked', taken: 'within a second' },
    changed: `${added('proxy/check-secret')}, the old one after the new one meanwhile`,
  },
  {
    ...{ path: 'proxy/pii-hash-key', setting: 'piiHashKey', mountedBy: 'proxy', taken: 'at a restart' },
    what: 'makes the labels and hashes that stand for personal data',
    changed: `${added('proxy/pii-hash-key')}; all labels and hashes are others then`,
  },
  {
    ...{ path: 'provider-keys/<id>', setting: 'PROVIDER_<ID>_API_KEY', mountedBy: 'proxy' },
    ...{ what: 'the key that a provider sees', changed: added('provider-keys/ID'), taken: 'within a second' },
  },
  ...urlsOf('writer'),
  ...urlsOf('management'),
  {
    ...{ path: 'management/management-api-key', setting: 'managementApiKey', what: 'the key `bootstrap`' },
    ...{ changed: '`--rotate management-api-key`; the old one ends at once', taken: 'within a second' },
  },
  {
    ...{ path: 'management/oidc-client-secret', setting: 'oidcClientSecret', mountedBy: 'management' },
    ...{
      what: 'our secret at the OpenID provider',
      changed: added('management/oidc-client-secret'),
      taken: 'within a second',
    },
  },
  {
    ...{ path: 'management/smtp-url', setting: 'smtpUrl', mountedBy: 'management' },
    ...{ what: 'the mail server of alerts', changed: added('management/smtp-url'), taken: 'within a second' },
  },
  ...(['openai', 'anthropic'] as const).map(
    (provider): SecretRow => ({
      ...{
        path: `management/billing-${provider}-key`,
        setting: `billing${provider === 'openai' ? 'Openai' : 'Anthropic'}Key`,
      },
      ...{ mountedBy: 'management', what: 'reads what it billed', taken: 'within a second' },
      changed: added(`management/billing-${provider}-key`),
    }),
  ),
  {
    ...{ path: 'migrator/database-url', setting: 'databaseUrl', what: 'the owner of the schema' },
    ...{ changed: '`--rotate migrator`', taken: 'at each run' },
  },
  {
    ...{ path: 'operator/nats-url', setting: 'natsUrl', what: 'for `quarantine` and `replay`' },
    ...{ changed: '`--rotate operator`', taken: 'at each run' },
  },
  {
    ...{ path: 'operator/redis-url', setting: null, what: 'lets Redis read its users again', mountedBy: 'nobody' },
    ...{ changed: '`--rotate operator`', taken: 'at each run' },
  },
  {
    ...{
      path: 'admin/database-url',
      setting: 'databaseUrl',
      what: 'an administrator of Postgres',
      taken: 'at each run',
    },
    changed: '`ALTER ROLE`, then this file and `postgres/password`',
  },
  ...['migrator', 'proxy', 'writer', 'management', 'grafana'].map(
    (role): SecretRow => ({
      ...{ path: `admin/${role}-password`, setting: `AGP_${role.toUpperCase()}_PASSWORD` },
      ...{ what: 'what Postgres is to take', changed: `\`--rotate ${role}\``, taken: 'at each run' },
    }),
  ),
  {
    ...{ path: 'nats/nats.conf', setting: null, what: 'users and passwords of NATS' },
    ...{ changed: '`--rotate` of each user', taken: 'at a reload' },
  },
  {
    ...{ path: 'redis/users.acl', setting: null, what: 'digests of the passwords of Redis' },
    ...{ changed: '`--rotate` of each user', taken: 'at a reload' },
  },
  {
    ...{ path: 'postgres/password', setting: null, what: 'what a new Postgres begins with' },
    ...{ changed: 'as `admin/database-url`', taken: 'at a restart' },
  },
  {
    ...{ path: 'grafana/admin-password', setting: null, what: "Grafana's administrator, at its first start" },
    ...{ changed: 'in Grafana', taken: 'at a restart' },
  },
  {
    ...{ path: 'grafana/database-password', setting: null, what: 'for its dashboards' },
    ...{ changed: '`--rotate grafana`, then `create-roles`', taken: 'at a restart' },
  },
  ...['proxy', 'management'].flatMap((host) =>
    ['crt', 'key'].map(
      (end): SecretRow => ({
        ...{ path: `${host}-tls/tls.${end}`, setting: null, mountedBy: 'the ingress', taken: 'at a reload' },
        what: `${end === 'crt' ? 'certificate' : 'key'} of the host`,
        changed: `cert-manager, or ${added(`${host}-tls/tls.${end}`)}`,
      }),
    ),
  ),
];

interface Compose {
  services: Record<string, { secrets?: (string | { source: string })[] }>;
  secrets: Record<string, { file: string }>;
}

/** Services of Compose by the paths of the secrets that they mount. */
export function readComposeMounts(): Map<string, string[]> {
  const { services, secrets } = parse(readFileSync(join(workspaceFolder, 'docker-compose.yml'), 'utf8'), {
    merge: true,
  }) as Compose;
  const mounts = new Map(Object.values(secrets).map(({ file }) => [file.replace('./secrets/', ''), [] as string[]]));
  for (const [service, { secrets: used = [] }] of Object.entries(services))
    for (const each of used) {
      const name = typeof each === 'string' ? each : each.source;
      mounts.get(secrets[name]?.file.replace('./secrets/', '') ?? '')?.push(service);
    }
  return mounts;
}

const toVariable = (setting: string) =>
  /^[A-Z]/.test(setting) ? setting : setting.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

/** Heads and cells of the table. */
export function listSecretCells(): readonly (readonly string[])[] {
  const mounts = readComposeMounts();
  return secretRows.map(({ path, setting, what, changed, taken, mountedBy }) => [
    `\`${path}\``,
    setting === null ? '' : `\`${toVariable(setting)}_FILE\``,
    mountedBy ?? mounts.get(path)?.join(', ') ?? '',
    what,
    changed,
    taken,
  ]);
}
