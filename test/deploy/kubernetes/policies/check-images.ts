import { type KubernetesObject, listContainers, listWorkloads } from '../render-kustomization.ts';

/** Built and pushed by whoever deploys them: without a registry's name in the trial, else on a registry of their own. */
const isOurs = (image: string) => image.startsWith('agent-governance-proxy/') || /^[^/]+[.:][^/]*\//.test(image);

/** Every image has a tag that says which version it is; others' are pinned by digest as well, since a tag can be moved. */
export function* checkImages(objects: KubernetesObject[]): Generator<string> {
  for (const workload of listWorkloads(objects))
    for (const { name, image = '' } of listContainers(workload)) {
      const [named = '', digest] = image.split('@sha256:');
      const tag = /:([^/:]+)$/.exec(named)?.[1];
      if (tag === undefined) yield `${workload.name}/${name}: ${image} has no tag`;
      else if (!/\d+\.\d+/.test(tag)) yield `${workload.name}/${name}: ${image} is no exact version`;
      else if (!isOurs(image) && !digest) yield `${workload.name}/${name}: ${image} is not pinned by digest`;
    }
}
