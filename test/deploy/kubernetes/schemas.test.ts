import { basename } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { overlays } from './overlays.ts';
import { type KubernetesObject, renderKustomization } from './render-kustomization.ts';
import { findSchemaError, findUnknownFields } from './schemas.ts';
import { makeSecretManifests } from './secret-manifests.ts';
import { describeWithKustomize } from './with-kustomize.ts';

describeWithKustomize('what is rendered', () => {
  const rendered = new Map<string, KubernetesObject[]>();
  beforeAll(async () => {
    for (const folder of overlays) rendered.set(basename(folder), await renderKustomization(folder));
  });

  const list = (name: string) => structuredClone(rendered.get(name) ?? []);

  test.each(overlays.map((folder) => basename(folder)))(
    '%s: every object is valid, of the kinds that we know',
    async (name) => {
      const objects = list(name);
      expect(objects.length).toBeGreaterThan(30);
      const errors = await Promise.all(objects.map(findSchemaError));
      expect(errors.filter((error) => error !== null)).toEqual([]);
    },
  );

  test('no object has a field that its schema does not have', async () => {
    // Once for all: what costs is the compiler's start.
    const objects = [...overlays.flatMap((folder) => list(basename(folder))), ...makeSecretManifests()];
    expect(await findUnknownFields(objects)).toEqual([]);
  });

  test('the Secrets that npm run secrets prints are valid', async () => {
    const secrets = makeSecretManifests();
    expect(secrets.length).toBeGreaterThan(5);
    const errors = await Promise.all(secrets.map(findSchemaError));
    expect(errors.filter((error) => error !== null)).toEqual([]);
  });
});
