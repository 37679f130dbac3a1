import { type KubernetesObject, listContainers, listWorkloads } from '../render-kustomization.ts';

/** Built by whoever deploys them, and loaded into the nodes in a trial, else pushed to a registry of their own. */
const isOurs = (image: string) => !image.startsWith('docker.io/');

/**
 * Every image has its registry in its name, since runtimes differ in what they put before a short one, and a tag that says which version
 * it is; others' are pinned by digest as well, since a tag can be moved. None is asked for where a node has it.
 */
export function* checkImages(objects: KubernetesObject[]): Generator<string> {
  for (const workload of listWorkloads(objects))
    for (const { name, image = '', imagePullPolicy } of listContainers(workload)) {
      if (imagePullPolicy !== 'IfNotPresent') yield `${workload.name}/${name}: asks the registry at each start`;
      if (!/^([^/]+[.:][^/]*|localhost)\//.test(image)) yield `${workload.name}/${name}: ${image} names no registry`;
      const [named = '', digest] = image.split('@sha256:');
      const tag = /:([^/:]+)$/.exec(named)?.[1];
      if (tag === undefined) yield `${workload.name}/${name}: ${image} has no tag`;
      else if (!/\d+\.\d+/.test(tag)) yield `${workload.name}/${name}: ${image} is no exact version`;
      else if (!isOurs(image) && !digest) yield `${workload.name}/${name}: ${image} is not pinned by digest`;
    }
}
