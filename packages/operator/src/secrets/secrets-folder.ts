import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { splitLines } from '@agp/core/login-urls';
import { databaseUsers, makePassword } from '../role-urls.ts';
import { CommandError, UsageError } from '../run-command.ts';
import {
  listSecrets,
  listServerConfigs,
  type Passwords,
  readPasswords,
  replacePassword,
  type ServerPlaces,
} from './list-secrets.ts';

/** Folders of what is not made but given: keys of providers, certificates of hosts, and the console's secret at its OpenID provider. */
const givenFolders = ['provider-keys', 'proxy-tls', 'management-tls', 'proxy', 'management'] as const;
/** Paths of secrets that `addSecrets` takes; `<id>` is a provider's. */
export const givenPaths: readonly string[] = [
  ...[
    'provider-keys/<id>',
    'proxy-tls/tls.crt',
    'proxy-tls/tls.key',
    'management-tls/tls.crt',
    'management-tls/tls.key',
  ],
  ...['proxy/check-secret', 'proxy/pii-hash-key', 'management/oidc-client-secret', 'management/smtp-url'],
  ...['management/billing-openai-key', 'management/billing-anthropic-key'],
  'admin/database-url',
];
const isGiven = (path: string) =>
  givenPaths.includes(path.replace(/^(provider-keys\/)[a-z0-9][a-z0-9-]{0,62}$/, '$1<id>'));

function listAddedSecrets(folder: string): string[] {
  return givenFolders
    .filter((name) => existsSync(join(folder, name)))
    .flatMap((name) => readdirSync(join(folder, name)).map((file) => `${name}/${file}`))
    .filter(isGiven)
    .sort();
}

/** Reads a secret; undefined if it does not exist. */
export function readSecret(folder: string, path: string): string | undefined {
  try {
    return readFileSync(join(folder, path), 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}

/** Paths of all that `completeSecrets` makes. */
export function listMadeSecrets(places: ServerPlaces): string[] {
  const passwords = readPasswords(() => undefined);
  return [...listSecrets(passwords, places).keys(), ...listServerConfigs(passwords).keys()];
}

/** All files that a deployment needs, by path. */
export function readSecrets(folder: string, places: ServerPlaces): Map<string, string> {
  const passwords = readPasswords((path) => readSecret(folder, path));
  const paths = [
    ...listSecrets(passwords, places).keys(),
    ...listServerConfigs(passwords).keys(),
    ...listAddedSecrets(folder),
  ];
  return new Map(paths.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
}

/** Writes missing secrets, and the servers' configuration. Existing secrets stay. */
export function completeSecrets(folder: string, places: ServerPlaces): string[] {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  const passwords = readPasswords((path) => readSecret(folder, path));
  const missing = [...listSecrets(passwords, places)].filter(([path]) => readSecret(folder, path) === undefined);
  for (const [path, text] of missing) writeSecret(folder, path, text);
  return [...missing.map(([path]) => path), ...writeServerConfigs(folder, passwords)];
}

/** @returns the paths that have changed */
function writeServerConfigs(folder: string, passwords: Passwords): string[] {
  const changed = [...listServerConfigs(passwords)].filter(([path, text]) => readSecret(folder, path) !== text.trim());
  for (const [path, text] of changed) writeSecret(folder, path, text);
  return changed.map(([path]) => path);
}

/** A new secret is never half written. A replaced one stays the same file, or containers that have it mounted would not see the change. */
function writeSecret(folder: string, path: string, text: string): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  const isThere = existsSync(file);
  const target = isThere ? file : `${file}.new`;
  if (isThere) chmodSync(file, 0o644);
  writeFileSync(target, text, { mode: 0o600 });
  // Regardless of the umask: containers must be able to read it, and nobody else can enter the folder.
  chmodSync(dirname(file), 0o755);
  chmodSync(target, 0o444);
  if (!isThere) renameSync(target, file);
}

interface SecretManifest {
  apiVersion: 'v1';
  kind: 'Secret';
  metadata: { name: string; namespace: string; labels: Record<string, string> };
  type: 'Opaque' | 'kubernetes.io/tls';
  stringData: Record<string, string>;
}

/** A list of Kubernetes Secrets, for `kubectl apply -f -`: the secrets of the folder `proxy` are the keys of the Secret `agp-proxy`, `agp` being the instance. */
export function toManifests(secrets: ReadonlyMap<string, string>, namespace: string, instance = 'agp') {
  const byFolder = Map.groupBy(secrets, ([path]) => path.slice(0, path.indexOf('/')));
  const items = [...byFolder].map(
    ([folder, entries]): SecretManifest => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: `${instance}-${folder}`,
        namespace,
        labels: { 'app.kubernetes.io/part-of': 'agent-governance-proxy' },
      },
      type: folder.endsWith('-tls') ? 'kubernetes.io/tls' : 'Opaque',
      stringData: Object.fromEntries(entries.map(([path, text]) => [path.slice(folder.length + 1), text])),
    }),
  );
  return { apiVersion: 'v1', kind: 'List', items };
}

/** The namespace that the Secrets are in, as k8s/namespace has it: nothing in it needs more than `restricted` allows. */
export function toNamespace(namespace: string) {
  const level = 'restricted';
  const labels = {
    'app.kubernetes.io/part-of': 'agent-governance-proxy',
    'pod-security.kubernetes.io/enforce': level,
    'pod-security.kubernetes.io/enforce-version': 'latest',
    'pod-security.kubernetes.io/audit': level,
    'pod-security.kubernetes.io/warn': level,
  };
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } };
}

/** The largest Secret, in bytes. */
const maxBytes = 1024 * 1024;

/** Takes files into the folder of secrets, in place of the old ones. */
export function addSecrets(folder: string, given: readonly string[]): string[] {
  const texts = given.map((each): [string, string] => {
    const [path = '', ...file] = each.split('=');
    if (!isGiven(path) || file.length === 0)
      throw new UsageError(`--add ${each}: must be <path>=<file>, the path one of ${givenPaths.join(', ')}`);
    return [path, readGiven(path, file.join('='))];
  });
  for (const [path, text] of texts) writeSecret(folder, path, text);
  return texts.map(([path]) => path);
}

function readGiven(path: string, file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch {
    throw new CommandError(`--add ${path}: ${file} cannot be read`);
  }
  if (text === '' || Buffer.byteLength(text) > maxBytes)
    throw new CommandError(`--add ${path}: ${file} is empty or larger than a Secret may be`);
  return text;
}

/** The roles whose passwords can be rotated. Postgres' superuser is missing: no other role can change its password there. */
export const rotatable = [...databaseUsers, 'operator', 'management-api-key', 'grafana-admin'] as const;
export type Rotatable = (typeof rotatable)[number];

/** Files of a role whose URLs hold the old password and the new one, a line each, until the change is finished. */
const urlsOf = (role: Rotatable) => ['database-url', 'nats-url', 'redis-url'].map((file) => `${role}/${file}`);

/**
 * Gives a role a new password for each server, in every file that contains one. Its own URLs keep the old one too, the new one last, and so
 * does Redis.
 * @throws CommandError if an earlier change is not finished
 */
export function rotateSecrets(folder: string, places: ServerPlaces, role: Rotatable): string[] {
  completeSecrets(folder, places);
  const open = listOpenUrls(folder, role);
  if (open.length > 0)
    throw new CommandError(`--rotate ${role}: an earlier change is not finished: ${open.join(', ')}. See --finish`);
  const database = makePassword();
  const addPassword = (password: string) => (url: string) => `${url}\n${replacePassword(url, password)}\n`;
  const replaced = new Map<string, (known: string) => string>([
    [`${role}/database-url`, addPassword(database)],
    [`admin/${role}-password`, () => database],
    [`${role}/database-password`, () => database],
    [`${role}/nats-url`, addPassword(makePassword())],
    [`${role}/redis-url`, addPassword(makePassword())],
  ]);
  if (role === 'management-api-key') replaced.set('management/management-api-key', () => `agm_${makePassword()}`);
  if (role === 'grafana-admin') replaced.set('grafana/admin-password', makePassword);
  return replaceSecrets(folder, replaced);
}

/** Drops the old passwords of a role. @throws CommandError if there are none */
export function finishRotation(folder: string, role: Rotatable): string[] {
  const open = listOpenUrls(folder, role);
  if (open.length === 0) throw new CommandError(`--finish ${role}: there is no old password in its files`);
  return replaceSecrets(folder, new Map(open.map((path) => [path, (known) => splitLines(known).at(-1) ?? known])));
}

const listOpenUrls = (folder: string, role: Rotatable): string[] =>
  urlsOf(role).filter((path) => splitLines(readSecret(folder, path) ?? '').length > 1);

/** @returns the paths that have changed, also of the servers' configuration */
function replaceSecrets(folder: string, replaced: ReadonlyMap<string, (known: string) => string>): string[] {
  const written = [...replaced].flatMap(([path, replace]) => {
    const known = readSecret(folder, path);
    if (known === undefined) return [];
    writeSecret(folder, path, replace(known));
    return [path];
  });
  return [
    ...written,
    ...writeServerConfigs(
      folder,
      readPasswords((path) => readSecret(folder, path)),
    ),
  ];
}
