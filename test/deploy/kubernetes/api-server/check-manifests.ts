import { join } from 'node:path';
import { workspaceFolder } from '../../../workspace/run-tool.ts';
import { type KubernetesObject, renderKustomization } from '../render-kustomization.ts';
import { makeSecretManifests } from '../secret-manifests.ts';
import { checkObjects, type Findings, knowsSleep, updateObjects, withoutSleep } from './check-objects.ts';
import type { ApiServer } from './start-api-server.ts';

/** Objects under the name that a report has for them. */
export interface Manifests {
  name: string;
  objects: KubernetesObject[];
}

/** A namespace as k8s/namespace has it, for one set of manifests. */
async function makeNamespace(server: ApiServer, name: string): Promise<void> {
  const [namespace] = await renderKustomization(join(workspaceFolder, 'k8s/namespace'));
  const answer = await server.call('POST', '/api/v1/namespaces', {
    ...namespace,
    metadata: { ...namespace?.metadata, name },
  });
  if (answer.status !== 201) throw new Error(`k8s/namespace: ${answer.status} ${answer.body.message}`);
}

/** Text of the version in names, labels and tags, as the next release would have it. */
const toNextVersion = (objects: KubernetesObject[]): KubernetesObject[] =>
  JSON.parse(JSON.stringify(objects).replaceAll(/(?<=:|"|migrate-)(\d+)([.-])(\d+)\2\d+(?=")/g, '$1$2$3$299'));

/**
 * Applies manifests as a whole, then again unchanged, then as the next version.
 *
 * @returns what the server had against it; `refused` names the step
 */
export async function checkManifests(server: ApiServer, { name, objects: rendered }: Manifests): Promise<Findings> {
  const hasSleep = await knowsSleep(server);
  const objects = hasSleep ? rendered : withoutSleep(rendered);
  const namespace = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 60);
  await makeNamespace(server, namespace);
  const findings = await checkObjects(server, objects, namespace);
  const again = await updateObjects(server, objects, namespace);
  // An operator deletes their own Job before they give another command.
  const kept = objects.filter(({ kind, metadata }) => kind !== 'Job' || metadata.name !== 'operator');
  const upgraded = await updateObjects(server, toNextVersion(kept), namespace);
  if (!hasSleep && JSON.stringify(rendered).includes('"sleep":{'))
    findings.dropped.push('Deployment.spec.template.spec.containers[].lifecycle.preStop.sleep');
  findings.refused.push(...again.map((each) => `again: ${each}`), ...upgraded.map((each) => `next version: ${each}`));
  return findings;
}

/** The Secrets that `npm run secrets` prints. */
export const checkSecrets = (server: ApiServer): Promise<Findings> =>
  checkManifests(server, { name: 'secrets', objects: makeSecretManifests() as KubernetesObject[] });
