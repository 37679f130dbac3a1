import { beforeAll, describe, expect, test } from 'vitest';
import { everything, localOverlay, overlays } from './overlays.ts';
import { plantedFaults, plantFault } from './planted-faults.ts';
import { policies } from './policies/index.ts';
import { type KubernetesObject, renderKustomization } from './render-kustomization.ts';
import { describeWithKustomize } from './with-kustomize.ts';

const names = Object.keys(policies) as (keyof typeof policies)[];

describeWithKustomize('policies', () => {
  const rendered = new Map<string, KubernetesObject[]>();
  beforeAll(async () => {
    for (const folder of overlays) rendered.set(folder, await renderKustomization(folder));
  });
  const list = (folder: string) => structuredClone(rendered.get(folder) ?? []);

  describe.each(overlays)('%s', (folder) => {
    test.each(names)('%s finds nothing', (policy) => {
      expect(list(folder).length).toBeGreaterThan(0);
      expect([...policies[policy](list(folder))]).toEqual([]);
    });
  });

  describe.each(names)('%s finds', (policy) => {
    test.each(plantedFaults[policy])('%s with %s %o', (...fault) => {
      const found = [localOverlay, everything].flatMap((folder) => {
        const objects = list(folder);
        plantFault(objects, fault);
        return [...policies[policy](objects)];
      });
      expect(found.join('\n')).toContain(fault[3]);
    });
  });
});
