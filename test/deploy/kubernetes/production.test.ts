import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventStream, writerConsumer } from '@agp/bus';
import { beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { workspaceFolder } from '../../workspace/run-tool.ts';
import { everything, localOverlay, productionOverlay } from './overlays.ts';
import { type KubernetesObject, listContainers, listWorkloads, renderKustomization } from './render-kustomization.ts';
import { describeWithKustomize } from './with-kustomize.ts';

const services = ['proxy', 'writer', 'management'];

describeWithKustomize('production', () => {
  let objects: KubernetesObject[] = [];
  beforeAll(async () => {
    objects = await renderKustomization(productionOverlay);
  });
  const list = (kind: string) => objects.filter((object) => object.kind === kind);
  const readConfig = (service: string, all = objects) =>
    all.find(({ kind, metadata }) => kind === 'ConfigMap' && new RegExp(`^${service}-[^-]+$`).test(metadata.name))
      ?.data;

  test('asks agents for tokens, and keeps the event stream on three servers', () => {
    expect(readConfig('proxy')).toMatchObject({ AGENT_IDENTITY: 'token' });
    expect(readConfig('writer')).toMatchObject({ EVENT_STREAM_REPLICAS: '3' });
  });

  test('scales proxies and management by their load, and takes pods away one at a time', () => {
    const scalers = list('HorizontalPodAutoscaler');
    expect(scalers.map(({ spec }) => spec.scaleTargetRef.name).sort()).toEqual(['management', 'proxy']);
    for (const { spec } of scalers) {
      expect(spec.minReplicas).toBeGreaterThanOrEqual(2);
      expect(spec.behavior.scaleDown.policies).toEqual([{ type: 'Pods', value: 1, periodSeconds: 300 }]);
    }
  });

  test('scales writers by what waits in the stream and the consumer that they read', () => {
    const [scaler, ...others] = list('ScaledObject');
    expect(others).toEqual([]);
    expect(scaler?.spec).toMatchObject({ scaleTargetRef: { name: 'writer' }, minReplicaCount: 2 });
    expect(scaler?.spec.triggers).toMatchObject([
      { type: 'nats-jetstream', metadata: { stream: eventStream, consumer: writerConsumer } },
    ]);
  });

  test('spreads each service over zones and nodes, and lets nodes be drained', () => {
    const budgets = list('PodDisruptionBudget');
    expect(budgets.map(({ spec }) => spec.selector.matchLabels['app.kubernetes.io/name']).sort()).toEqual(
      [...services].sort(),
    );
    for (const { name, template } of listWorkloads(objects).filter((each) => services.includes(each.name))) {
      const constraints = template.spec.topologySpreadConstraints ?? [];
      expect(constraints.map(({ topologyKey }) => topologyKey)).toEqual([
        'topology.kubernetes.io/zone',
        'kubernetes.io/hostname',
      ]);
      for (const { labelSelector } of constraints)
        expect(labelSelector?.matchLabels).toEqual({ 'app.kubernetes.io/name': name });
    }
  });

  test('brings no server of its own, and no simulated provider', () => {
    expect(list('StatefulSet')).toEqual([]);
    expect(
      list('Deployment')
        .map(({ metadata }) => metadata.name)
        .sort(),
    ).toEqual([...services].sort());
  });

  test('serves both hosts with TLS only', () => {
    const ingresses = list('Ingress');
    expect(ingresses).toHaveLength(2);
    for (const { spec, metadata } of ingresses) {
      expect(spec.tls).toHaveLength(1);
      expect(metadata.annotations).toBeUndefined();
    }
  });

  test('with an authority of its own, every service checks certificates by it', async () => {
    const all = await renderKustomization(everything);
    for (const service of services)
      expect(readConfig(service, all)).toMatchObject({
        NATS_CA_FILE: '/etc/agp-ca/ca.crt',
        REDIS_CA_FILE: '/etc/agp-ca/ca.crt',
      });
    for (const { name, template } of listWorkloads(all)) {
      const [{ volumeMounts = [] } = { volumeMounts: [] }] = template.spec.containers;
      expect(
        volumeMounts.map(({ mountPath }) => mountPath),
        name,
      ).toContain('/etc/agp-ca');
    }
  });

  test('a trial has what production has outside, once each', async () => {
    const trial = listWorkloads(await renderKustomization(localOverlay));
    expect(trial.map(({ name }) => name).sort()).toEqual(
      [...services, 'demo-provider', 'maintain', 'migrate', 'nats', 'postgres', 'redis'].sort(),
    );
    for (const { object } of trial) expect(object.spec.replicas ?? 1).toBe(1);
  });

  test('a trial runs the images that docker-compose.yml runs', async () => {
    const { services: composed } = parse(readFileSync(join(workspaceFolder, 'docker-compose.yml'), 'utf8'), {
      merge: true,
    }) as { services: Record<string, { image: string }> };
    const known = new Set(Object.values(composed).map(({ image }) => image));
    const images = listWorkloads(await renderKustomization(localOverlay)).flatMap(listContainers);
    expect(images.length).toBeGreaterThan(9);
    for (const { image } of images) expect(known).toContain(image);
  });
});
