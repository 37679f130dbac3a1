// npm run check:manifests: applies every overlay and component to a real API server, and says what its version does not know.
import { checkManifests, checkSecrets } from './check-manifests.ts';
import type { Findings } from './check-objects.ts';
import { findApiServer } from './find-api-server.ts';
import { listManifests } from './list-manifests.ts';
import { startApiServer } from './start-api-server.ts';

const print = (text: string) => process.stdout.write(`${text}\n`);

async function check(): Promise<boolean> {
  const files = findApiServer(process.env);
  if (files === null) {
    print(
      'neither KUBEBUILDER_ASSETS nor the PATH has kube-apiserver and etcd; setup-envtest of controller-runtime downloads them',
    );
    return false;
  }
  await using server = await startApiServer(files);
  const { gitVersion } = (await server.call('GET', '/version')).body;
  print(`API server ${gitVersion}\n`);
  const all: Findings[] = [];
  const add = (name: string, findings: Findings) => {
    all.push(findings);
    print(`${name}: ${findings.taken} objects taken, ${findings.refused.length} findings`);
    for (const each of findings.refused) print(`  ${each}`);
  };
  add('secrets', await checkSecrets(server));
  for await (const manifests of listManifests()) add(manifests.name, await checkManifests(server, manifests));
  const list = (title: string, lines: string[]) =>
    print(
      `\n${title}\n${
        [...new Set(lines)]
          .sort()
          .map((line) => `  ${line}`)
          .join('\n') || '  nothing'
      }`,
    );
  list(
    'Kinds that this server does not serve, not checked:',
    all.flatMap(({ unknown }) => unknown),
  );
  list(
    'Checked as another version of their API:',
    all.flatMap(({ older }) => older),
  );
  list(
    'Fields that this version does not know, not checked:',
    all.flatMap(({ dropped }) => dropped),
  );
  return all.every(({ refused }) => refused.length === 0);
}

process.exitCode = (await check()) ? 0 : 1;
