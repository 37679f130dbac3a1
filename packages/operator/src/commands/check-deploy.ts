import { relative, resolve } from 'node:path';
import { findSecretFaults } from '../deployment/compare-secrets.ts';
import { findCollisions, findFaults } from '../deployment/find-faults.ts';
import { readInstallation } from '../deployment/read-installation.ts';
import { CommandError, print, runCommand, UsageError } from '../run-command.ts';

const repositoryRoot = resolve(import.meta.dirname, '../../../..');

await runCommand({
  help: `Says what an overlay, or values for the chart, lacks or contradicts itself in, before anything is applied.

usage: npm run check:deploy -- k8s/overlays/mine          a copy of k8s/overlays/example
       npm run check:deploy -- values.yaml                values for k8s/chart
       npm run check:deploy -- k8s/overlays/a k8s/overlays/b
                                                          also whether the two go together

  --folder <path>        the secrets that were made for it, if not secrets/; the servers that they name are compared

RETENTION_BY_LAW (retention.requiredBy) says which law asks for records: with eu-ai-act RETENTION_DAYS is 183 at least.
Exit codes: 0 nothing is missing, 1 something is, 2 wrong usage.`,
  options: { folder: { type: 'string', default: 'secrets' } },
  allowPositionals: true,
  run({ folder }, paths) {
    if (paths.length === 0) throw new UsageError('name an overlay or a file of values');
    const chart = resolve(repositoryRoot, 'k8s/chart');
    const all = paths.map((path) => {
      const installation = readInstallation(resolve(repositoryRoot, path), chart);
      return { ...installation, path: relative(repositoryRoot, installation.path) };
    });
    const faults = all.flatMap((each) =>
      findFaults(each).map((fault) => `${all.length > 1 ? `${each.path}: ` : ''}${fault}`),
    );
    // One folder of secrets is one installation's.
    const [first] = all;
    if (first && all.length === 1) faults.push(...findSecretFaults(first, resolve(repositoryRoot, folder)));
    const pairs = all.flatMap((one, place) => all.slice(place + 1).map((other) => [one, other] as const));
    faults.push(...pairs.flatMap(([one, other]) => findCollisions(one, other)));
    if (faults.length > 0) throw new CommandError([...new Set(faults)].join('\n'));
    print(`${paths.join(', ')}: nothing is missing`);
  },
});
