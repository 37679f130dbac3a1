import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findSecretFaults } from '../deployment/compare-secrets.ts';
import { findCollisions, findFaults } from '../deployment/find-faults.ts';
import { readInstallation } from '../deployment/read-installation.ts';
import { CommandError, print, runCommand, UsageError } from '../run-command.ts';

/** Its values have a schema, and defaults. */
const chart = fileURLToPath(new URL('../../../../k8s/chart', import.meta.url));

await runCommand({
  help: `Says what an overlay, or values for the chart, lacks, contradicts itself in, or gives a service that refuses it, before anything is applied.

usage: npm run check:deploy -- k8s/overlays/mine          a copy of k8s/overlays/example
       npm run check:deploy -- values.yaml                values for k8s/chart
       npm run check:deploy -- k8s/overlays/a k8s/overlays/b
                                                          also whether the two go together

  --folder <path>        the secrets that were made for it, if not secrets/; the servers that they name are compared

RETENTION_BY_LAW (retention.requiredBy) says which law asks for records: with eu-ai-act RETENTION_DAYS is 183 at least.
Exit codes: 0 nothing is missing, 1 something is, 2 wrong usage.`,
  options: { folder: { type: 'string' } },
  allowPositionals: true,
  run({ folder }, paths) {
    if (paths.length === 0) throw new UsageError('name an overlay or a file of values');
    const secrets = resolve(folder ?? 'secrets');
    const hasSecrets = existsSync(secrets);
    if (folder !== undefined && !hasSecrets) throw new CommandError(`--folder: ${folder} is not there`);
    const all = paths.map((path) => {
      const installation = readInstallation(resolve(path), chart);
      return { ...installation, path: relative('.', installation.path) };
    });
    const faults = all.flatMap((each) =>
      findFaults(each).map((fault) => `${all.length > 1 ? `${each.path}: ` : ''}${fault}`),
    );
    // One folder of secrets is one installation's.
    const [first] = all;
    if (first && all.length === 1) faults.push(...findSecretFaults(first, secrets));
    const pairs = all.flatMap((one, place) => all.slice(place + 1).map((other) => [one, other] as const));
    faults.push(...pairs.flatMap(([one, other]) => findCollisions(one, other)));
    if (faults.length > 0) throw new CommandError([...new Set(faults)].join('\n'));
    const rest = hasSecrets || all.length > 1 ? '' : `; no secrets were compared, ${secrets} is not there`;
    print(`${paths.join(', ')}: nothing is missing${rest}`);
  },
});
