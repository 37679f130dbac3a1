import { resolve } from 'node:path';
import { runCommand, UsageError } from '../run-command.ts';
import { checkPlaces } from '../secrets/check-places.ts';
import { defaultPlaces } from '../secrets/list-secrets.ts';
import { rotatable, rotateSecrets } from '../secrets/rotate-secrets.ts';
import { completeSecrets, readSecrets } from '../secrets/secrets-folder.ts';
import { toManifests } from '../secrets/to-manifests.ts';

const repositoryRoot = resolve(import.meta.dirname, '../../../..');

const help = `Makes the passwords, keys and server configurations of a deployment, each once: what is there stays.

usage: npm run secrets                               writes what is missing to the folder secrets/
       npm run secrets -- --rotate <role>            new passwords for one role, in every file that holds one
       npm run --silent secrets -- --kubernetes      writes what is missing and prints all of it for "kubectl apply -f -"

  --folder <path>        another folder than secrets
  --namespace <name>     of the Kubernetes Secrets; agp if not given
  --postgres, --nats, --redis <host:port>, --database <name>
                         where the servers are; ${defaultPlaces.postgres}, ${defaultPlaces.nats}, ${defaultPlaces.redis}, ${defaultPlaces.database} if not given. They count
                         for what is not there yet; URLs that are there must name the places that you give.

Roles: ${rotatable.join(', ')}.
Exit codes: 0 done, 1 failed, 2 wrong usage.`;

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
  },
  run({ kubernetes, rotate, namespace, folder: path, ...asked }) {
    const role = rotatable.find((known) => known === rotate);
    if (rotate !== undefined && role === undefined) throw new UsageError(`no role is called ${rotate}`);
    const folder = resolve(repositoryRoot, path);
    checkPlaces(folder, asked);
    const places = { ...defaultPlaces, ...asked };
    const written = role === undefined ? completeSecrets(folder, places) : rotateSecrets(folder, places, role);
    // On standard error: with --kubernetes, standard output is for kubectl.
    for (const path of written) console.error(`written ${path}`);
    if (written.length === 0) console.error(`${folder} is complete`);
    if (kubernetes) console.log(JSON.stringify(toManifests(readSecrets(folder, places), namespace), null, 2));
  },
});
