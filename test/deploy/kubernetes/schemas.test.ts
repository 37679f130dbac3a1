import { basename } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { overlays } from './overlays.ts';
import { type KubernetesObject, nameOf, renderKustomization } from './render-kustomization.ts';
import { findSchemaError, findUnknownFields } from './schemas.ts';
import { makeSecretManifests } from './secret-manifests.ts';
import { describeWithKustomize } from './with-kustomize.ts';

describeWithKustomize('what is rendered', () => {
  const rendered = new Map<string, KubernetesObject[]>();
  beforeAll(async () => {
    for (const folder of overlays) rendered.set(basename(folder), await renderKustomization(folder));
  });

  const list = (name: string) => structuredClone(rendered.get(name) ?? []);
  const find = (kind: string, name: string): KubernetesObject => {
    const object = list('everything').find((each) => each.kind === kind && nameOf(each) === name);
    if (object === undefined) throw new Error(`there is no ${kind} ${name}`);
    return object;
  };

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

  test.each<[string, () => KubernetesObject, string]>([
    [
      'a wrong type',
      () => {
        const proxy = find('Deployment', 'proxy');
        proxy.spec.template.spec.terminationGracePeriodSeconds = '330';
        return proxy;
      },
      'terminationGracePeriodSeconds must be integer',
    ],
    [
      'a missing field',
      () => {
        const scaler = find('HorizontalPodAutoscaler', 'proxy');
        delete scaler.spec.maxReplicas;
        return scaler;
      },
      'must have required property maxReplicas',
    ],
    [
      'a wrong value in a custom resource',
      () => {
        const scaler = find('ScaledObject', 'writer');
        scaler.spec.triggers[0].metadata.lagThreshold = 5_000;
        return scaler;
      },
      'lagThreshold must be string',
    ],
    ['a kind that does not exist', () => ({ ...find('Service', 'proxy'), kind: 'Sevrice' }), 'no such kind'],
    ['an API that does not exist', () => ({ ...find('Job', 'migrate'), apiVersion: 'batch/v2' }), 'no schema'],
  ])('%s is found', async (_, plant, message) => {
    expect(await findSchemaError(plant())).toContain(message);
  });

  test('fields that do not exist are found, in custom resources too', async () => {
    const proxy = find('Deployment', 'proxy');
    proxy.spec.template.spec.containers[0].readynessProbe = {};
    const writer = find('ScaledObject', 'writer');
    writer.spec.maxReplicas = 3;
    const errors = await findUnknownFields([proxy, writer, find('Service', 'proxy')]);
    expect(errors).toHaveLength(2);
    expect(errors[0]).toMatch(/Deployment-proxy.*readynessProbe/);
    expect(errors[1]).toMatch(/ScaledObject-writer.*maxReplicas/);
  });
});
