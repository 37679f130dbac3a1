import { resolve } from 'node:path';
import { runCommand, UsageError } from '../run-command.ts';
import { addSecrets, rotatable, rotateSecrets } from '../secrets/add-secrets.ts';
import { checkPlaces } from '../secrets/check-places.ts';
import { defaultPlaces, serverNames } from '../secrets/list-secrets.ts';
import { completeSecrets, readSecrets, toManifests, toNamespace } from '../secrets/secrets-folder.ts';

const repositoryRoot = resolve(import.meta.dirname, '../../../..');

const help = `Makes the passwords, keys and server configurations of a deployment, each once: what is there stays.

usage: npm run secrets                               writes what is missing to the folder secrets/
       npm run secrets -- --rotate <role>            new passwords for one role, in every file that holds one
       npm run --silent secrets -- --kubernetes      writes what is missing and prints all of it for "kubectl apply -f -"

  --folder <path>        another folder than secrets
  --namespace <name>     of the Kubernetes Secrets; agp if not given. --with-namespace prints it too
  --postgres, --nats, --redis <host:port>, --database <name>
                         where the servers are; ${defaultPlaces.postgres}, ${defaultPlaces.nats}, ${defaultPlaces.redis}, ${defaultPlaces.database} if not given. They count
                         for what is not there yet; URLs that are there must name the places that you give. Several of one
                         cluster stand after commas, Redis' sentinels as sentinel://<host:port>,<host:port>/<master's name>
  --tls <postgres,nats,redis>, --authority
                         the new URLs of which ask for TLS, and whether k8s/components/private-ca has Postgres' authority
  --add <path>=<file>    takes a file into the folder: provider-keys/<id>, proxy-tls/tls.crt, proxy-tls/tls.key, management-tls/...,
                         management/oidc-client-secret, admin/database-url; may be given several times

Roles: ${rotatable.join(', ')}.
Exit codes: 0 done, 1 failed, 2 wrong usage.`;

function readServers(text: string) {
  return text
    .split(',')
    .filter((each) => each !== '')
    .map((each) => {
      const server = serverNames.find((name) => name === each.trim());
      if (server === undefined) throw new UsageError(`--tls: ${each} must be one of ${serverNames.join(', ')}`);
      return server;
    });
}

await runCommand({
  help,
  options: {
    kubernetes: { type: 'boolean', default: false },
    rotate: { type: 'string' },
    folder: { type: 'string', default: 'secrets' },
    namespace: { type: 'string', default: 'agp' },
    postgres: { type: 'string' },
    nats: { type: 'string' },
    redis: { type: 'string' },
    database: { type: 'string' },
    tls: { type: 'string', default: '' },
    authority: { type: 'boolean', default: false },
    add: { type: 'string', multiple: true, default: [] },
    'with-namespace': { type: 'boolean', default: false },
  },
  run({
    kubernetes,
    rotate,
    namespace,
    folder: path,
    tls: tlsText,
    authority,
    add,
    'with-namespace': withNamespace,
    ...asked
  }) {
    const tls = readServers(tlsText);
    const role = rotatable.find((known) => known === rotate);
    if (rotate !== undefined && role === undefined) throw new UsageError(`no role is called ${rotate}`);
    const folder = resolve(repositoryRoot, path);
    checkPlaces(folder, asked);
    const places = { ...defaultPlaces, ...asked, tls, hasAuthority: authority };
    const added = addSecrets(folder, add);
    const written = role === undefined ? completeSecrets(folder, places) : rotateSecrets(folder, places, role);
    // On standard error: with --kubernetes, standard output is for kubectl.
    for (const path of [...added, ...written]) console.error(`written ${path}`);
    if (added.length + written.length === 0) console.error(`${folder} is complete`);
    if (!kubernetes) return;
    const { items, ...list } = toManifests(readSecrets(folder, places), namespace);
    console.log(
      JSON.stringify({ ...list, items: [...(withNamespace ? [toNamespace(namespace)] : []), ...items] }, null, 2),
    );
  },
});
