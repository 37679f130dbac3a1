import { type KubernetesObject, listContainers, listWorkloads } from '../render-kustomization.ts';

/** Every image has a tag that says which version it is. */
export function* checkImages(objects: KubernetesObject[]): Generator<string> {
  for (const workload of listWorkloads(objects))
    for (const { name, image = '' } of listContainers(workload)) {
      const tag = /:([^/:]+)$/.exec(image)?.[1];
      if (tag === undefined) yield `${workload.name}/${name}: ${image} has no tag`;
      else if (!/\d+\.\d+/.test(tag)) yield `${workload.name}/${name}: ${image} is no exact version`;
    }
}
