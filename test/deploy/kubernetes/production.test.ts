import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventStream, writerConsumer } from '@agp/bus';
import { toStopLimit } from '@agp/runtime';
import { managementConfigSchema, proxyConfigSchema, writerConfigSchema } from '@agp/settings';
import { beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { z } from 'zod';
import { connections } from '../../../services/management/src/limits.ts';
import { workspaceFolder } from '../../workspace/run-tool.ts';
import { everything, localOverlay, productionOverlay } from './overlays.ts';
import { type KubernetesObject, listContainers, listWorkloads, renderKustomization } from './render-kustomization.ts';
import { describeWithKustomize } from './with-kustomize.ts';

const services = ['proxy', 'writer', 'management'];
const shapes: Record<string, Record<string, z.ZodType>> = {
  proxy: proxyConfigSchema.shape,
  writer: writerConfigSchema.shape,
  management: managementConfigSchema.shape,
};
const toKey = (variable: string) =>
  variable.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

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

  test('scales services by their load, and takes pods away one at a time', () => {
    const scalers = list('HorizontalPodAutoscaler');
    expect(scalers.map(({ spec }) => spec.scaleTargetRef.name).sort()).toEqual(['management', 'proxy', 'writer']);
    for (const { spec } of scalers) {
      expect(spec.minReplicas).toBeGreaterThanOrEqual(2);
      expect(spec.behavior.scaleDown.policies).toMatchObject([{ type: 'Pods', value: 1 }]);
    }
    expect(list('ScaledObject')).toEqual([]);
  });

  test('with KEDA scales writers by what waits in the stream and the consumer that they read, and by that alone', async () => {
    const all = await renderKustomization(everything);
    const [scaler, ...others] = all.filter(({ kind }) => kind === 'ScaledObject');
    expect(others).toEqual([]);
    const byLoad = all.filter(({ kind }) => kind === 'HorizontalPodAutoscaler');
    expect(byLoad.map(({ spec }) => spec.scaleTargetRef.name).sort()).toEqual(['management', 'proxy']);
    expect(scaler?.spec).toMatchObject({ scaleTargetRef: { name: 'writer' }, minReplicaCount: 2 });
    expect(scaler?.spec.triggers).toMatchObject([
      { type: 'nats-jetstream', metadata: { stream: eventStream, consumer: writerConsumer } },
    ]);
  });

  test('at its largest has as many connections to Postgres as docs/operate.md says, in a rollout too', () => {
    const most = (name: string) =>
      list('HorizontalPodAutoscaler').find(({ metadata }) => metadata.name === name)?.spec.maxReplicas;
    const management = Object.values(connections).reduce((sum, each) => sum + each, 0);
    const writer = Number(writerConfigSchema.shape.writerLanes.parse(undefined)) + 5;
    const all = most('proxy') * 10 + most('management') * management + most('writer') * writer;
    const read = (page: string) => readFileSync(join(workspaceFolder, 'docs', page), 'utf8');
    expect(read('operate.md')).toContain(
      `10 a proxy, ${management} a management, \`WRITER_LANES\` + 5 a writer, twice`,
    );
    expect(read('operate.md')).toContain(`at its largest: ${all + 20}, in a rollout ${2 * all + 20}`);
    expect(read('deploy.md')).toContain(`[up to ${2 * all + 20} connections]`);
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

  test('is reached by nobody from outside until a component says how', () => {
    expect(objects.filter(({ kind }) => ['Ingress', 'HTTPRoute'].includes(kind))).toEqual([]);
    for (const { spec } of list('Service')) expect(spec.type ?? 'ClusterIP').toBe('ClusterIP');
  });

  test.each([localOverlay, everything])(
    '%s: services read each of their settings, and have the time that they need to stop',
    async (folder) => {
      const all = await renderKustomization(folder);
      for (const { name, template, object } of listWorkloads(all).filter((each) => services.includes(each.name))) {
        const { [name]: shape = {} } = shapes;
        const settings: Record<string, string> = readConfig(name, all) ?? {};
        // That one is read by Node itself.
        for (const [variable, value] of Object.entries(settings).filter(([each]) => each !== 'NODE_EXTRA_CA_CERTS')) {
          const field = shape[toKey(variable)] ?? shape[toKey(variable.replace(/_FILE$/, ''))];
          expect(field, `${name}: nothing reads ${variable}`).toBeDefined();
          if (!variable.endsWith('_FILE')) expect(field?.safeParse(value).success, `${name}: ${variable}`).toBe(true);
        }
        const [container] = template.spec.containers;
        const preStop = container?.lifecycle?.preStop?.sleep?.seconds ?? 0;
        const drainDelaySeconds = Number(settings.DRAIN_DELAY_SECONDS ?? 0);
        const shutdownGraceSeconds = Number(settings.SHUTDOWN_GRACE_SECONDS);
        const needed = preStop + toStopLimit({ drainDelaySeconds, shutdownGraceSeconds }) / 1_000;
        expect(template.spec.terminationGracePeriodSeconds, name).toBeGreaterThan(needed);
        // Streams that run get five minutes at least.
        if (name === 'proxy') expect(shutdownGraceSeconds).toBeGreaterThanOrEqual(300);
        if (name !== 'writer') expect(Math.min(preStop, drainDelaySeconds), name).toBeGreaterThanOrEqual(5);
        expect(object.spec.strategy, name).toMatchObject({
          type: 'RollingUpdate',
          rollingUpdate: { maxUnavailable: 0 },
        });
        expect(template.metadata?.annotations?.['prometheus.io/port']).toBe(String(shape.opsPort?.parse(undefined)));
        const ports = ['opsPort', name === 'management' ? 'managementPort' : 'proxyPort'].map((key) =>
          shape[key]?.parse(undefined),
        );
        for (const { containerPort } of container?.ports ?? []) expect(ports, name).toContain(containerPort);
      }
    },
  );

  test('with an authority of its own, every process checks certificates by it too', async () => {
    const all = await renderKustomization(everything);
    const file = '/etc/agp-ca/ca.crt';
    for (const service of services)
      expect(readConfig(service, all)).toMatchObject({ NATS_CA_FILE: file, REDIS_CA_FILE: file });
    for (const { name, template } of listWorkloads(all)) {
      const [container] = template.spec.containers;
      expect(
        container?.volumeMounts?.map(({ mountPath }) => mountPath),
        name,
      ).toContain('/etc/agp-ca');
      const own = container?.env?.find((each) => each.name === 'NODE_EXTRA_CA_CERTS')?.value;
      expect(own ?? readConfig(name, all)?.NODE_EXTRA_CA_CERTS, name).toBe(file);
    }
  });

  test('a rollout is not given up while a migration may still run', async () => {
    const workloads = listWorkloads(objects);
    const migration = workloads.find(({ name }) => name === 'migrate')?.object.spec.activeDeadlineSeconds;
    const deadlines = workloads
      .filter(({ kind }) => kind === 'Deployment')
      .map(({ object }) => object.spec.progressDeadlineSeconds);
    expect(deadlines).toHaveLength(3);
    for (const deadline of deadlines) expect(deadline).toBeGreaterThan(migration);
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
    for (const { image = '' } of images)
      expect(known).toContain(image.replace(/^(docker\.io\/library|localhost)\//, ''));
  });
});
