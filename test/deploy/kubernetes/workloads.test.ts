import { beforeAll, expect, test } from 'vitest';
import { overlays } from './overlays.ts';
import { type KubernetesObject, listContainers, listWorkloads, renderKustomization } from './render-kustomization.ts';
import { makeSecretManifests } from './secret-manifests.ts';
import { describeWithKustomize } from './with-kustomize.ts';

const services = ['proxy', 'writer', 'management'];
const secretName = /(PASSWORD|KEY|SECRET|TOKEN|_URL)$/;

/** Cores or bytes. */
function parseQuantity(text: unknown): number {
  const [, digits, unit = ''] = /^([\d.]+)(m|Mi|Gi)?$/.exec(String(text)) ?? [];
  return Number(digits) * ({ m: 0.001, Mi: 2 ** 20, Gi: 2 ** 30 }[unit] ?? 1);
}

/** Every container of a rendering, with its pod and its variables, those of its ConfigMaps included. */
const listAll = (objects: KubernetesObject[]) =>
  listWorkloads(objects).flatMap((workload) =>
    listContainers(workload).map((container) => {
      const names = container.envFrom?.map(({ configMapRef }) => configMapRef?.name);
      const maps = objects.filter(({ kind, metadata }) => kind === 'ConfigMap' && names?.includes(metadata.name));
      const own = Object.fromEntries((container.env ?? []).map(({ name, value = '' }) => [name, value]));
      expect(maps, container.name).toHaveLength(names?.length ?? 0);
      const environment: Record<string, string> = Object.assign({}, ...maps.map(({ data }) => data), own);
      const label = `${workload.name}/${container.name}`;
      return { ...workload, spec: workload.template.spec, container, environment, label };
    }),
  );

describeWithKustomize('everything that runs', () => {
  let rendered: KubernetesObject[][] = [];
  let all: ReturnType<typeof listAll> = [];
  beforeAll(async () => {
    rendered = await Promise.all(overlays.map((folder) => renderKustomization(folder)));
    all = rendered.flatMap(listAll);
    expect(all.length).toBeGreaterThan(20);
  });

  test('is no root, gains no privilege, writes to no root file system, and has nothing of its host', () => {
    for (const { spec, container, label } of all) {
      const { runAsUser = 0, runAsGroup = 0, runAsNonRoot, seccompProfile } = spec.securityContext ?? {};
      expect([runAsNonRoot, seccompProfile?.type], label).toEqual([true, 'RuntimeDefault']);
      expect(runAsUser * runAsGroup, label).toBeGreaterThan(0);
      // Secrets are readable by their group alone.
      if (spec.volumes?.some(({ secret }) => secret)) expect(spec.securityContext?.fsGroup, label).toBeGreaterThan(0);
      expect(container.securityContext, label).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect([spec.automountServiceAccountToken, spec.enableServiceLinks], label).toEqual([false, false]);
      expect(JSON.stringify(spec), label).not.toMatch(/"host(Network|PID|IPC|Users|Port|Path)"/);
      for (const { name: _, ...source } of spec.volumes ?? [])
        expect(['configMap', 'emptyDir', 'secret'], label).toContain(Object.keys(source).join());
    }
  });

  test('says what it needs and takes at most, into which bodies and workers of the proxy fit', () => {
    for (const { container, label, environment } of all) {
      const { requests, limits } = container.resources ?? {};
      for (const each of ['cpu', 'memory'])
        expect(parseQuantity(requests?.[each]), label).toBeLessThanOrEqual(parseQuantity(limits?.[each]));
      // 512 MiB for itself and its streams, and two heaps of packages/metering/src/text/offload.ts (docs/deploy.md).
      const needed = (512 + 2 * 768) * 2 ** 20 + Number(environment.MAX_BUFFERED_BYTES);
      if (label === 'proxy/proxy') expect(parseQuantity(limits?.memory)).toBeGreaterThanOrEqual(needed);
    }
  });

  test('has an image of an exact version, which is not asked for if a node has it; that of others by digest', () => {
    const pinned =
      /^(docker\.io\/.+:\d+\.\d+[\w.-]*@sha256:[0-9a-f]{64}|(?!docker\.io)([^/]+[.:][^/]*|localhost)\/.+:\d+\.\d+\.\d+)$/;
    for (const { container, label } of all) {
      expect(container.image, label).toMatch(pinned);
      expect(container.imagePullPolicy, label).toBe('IfNotPresent');
    }
  });

  test('is probed in three ways if it runs for long, and not ended before half a minute of silence', () => {
    for (const { container, name, label } of all.filter(({ kind }) => !kind.endsWith('Job'))) {
      const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];
      for (const probe of probes) expect(probe?.timeoutSeconds, label).toBeLessThanOrEqual(probe?.periodSeconds ?? 0);
      const { periodSeconds = 0, failureThreshold = 0 } = container.livenessProbe ?? {};
      expect(periodSeconds * failureThreshold, label).toBeGreaterThanOrEqual(30);
      const asked = probes.map((probe) => `${probe?.httpGet?.port}${probe?.httpGet?.path}`);
      if (services.includes(name)) expect(asked, label).toEqual(['ops/healthz', 'ops/healthz', 'ops/readyz']);
    }
  });

  test('has secrets as files, of keys that npm run secrets makes, and no manifest holds one', () => {
    for (const { kind, metadata, data } of rendered.flat()) {
      expect(kind, metadata.name).not.toBe('Secret');
      const held = Object.entries(kind === 'ConfigMap' ? (data ?? {}) : {}).filter(
        ([key, value]) => secretName.test(key) || /:\/\/[^/\s]*:[^/\s]*@/.test(value),
      );
      expect(held, metadata.name).toEqual([]);
    }
    const made = new Map(makeSecretManifests().map((each) => [each.metadata.name, Object.keys(each.stringData)]));
    for (const { container, spec, environment, label } of all) {
      const files = (spec.volumes ?? []).flatMap(({ name, secret }) => {
        if (secret === undefined) return [];
        expect(secret.defaultMode, label).toBe(0o440);
        if (!secret.optional) expect(made.has(secret.secretName ?? ''), `${label}: ${secret.secretName}`).toBe(true);
        const path = container.volumeMounts?.find((mount) => mount.name === name)?.mountPath;
        return (made.get(secret.secretName ?? '') ?? []).map((key) => `${path}/${key}`);
      });
      expect(JSON.stringify([container.envFrom, container.env]), label).not.toMatch(/secretRef|valueFrom/);
      for (const [variable, value] of Object.entries(environment)) {
        expect(variable, label).not.toMatch(secretName);
        if (value.startsWith('/run/secrets/')) expect(files, variable).toContain(value);
      }
    }
  });

  test('ends if it is a Job, is tried again unless a person gave the command, and never runs twice at once', () => {
    const jobs = rendered.flatMap(listWorkloads).filter(({ kind }) => /Job$/.test(kind));
    expect(new Set(jobs.map(({ name }) => name)).size).toBeGreaterThan(2);
    for (const { kind, name, template, object } of jobs) {
      const { activeDeadlineSeconds, backoffLimit, ttlSecondsAfterFinished } =
        kind === 'CronJob' ? object.spec.jobTemplate.spec : object.spec;
      const isCommand = name === 'operator';
      expect(activeDeadlineSeconds, name).toBeGreaterThan(0);
      expect([backoffLimit > 0, template.spec.restartPolicy], name).toEqual(
        isCommand ? [false, 'Never'] : [true, 'OnFailure'],
      );
      // What a tool applies every hour would be made again once it had gone.
      expect(ttlSecondsAfterFinished !== undefined, name).toBe(isCommand);
      if (kind === 'CronJob') expect(object.spec.concurrencyPolicy, name).toBe('Forbid');
    }
  });

  test('is found by its Service and its budget, one workload each', () => {
    for (const objects of rendered)
      for (const { kind, metadata, spec } of objects.filter((each) =>
        /^(Service|PodDisruptionBudget)$/.test(each.kind),
      )) {
        const labels = Object.entries(spec.selector.matchLabels ?? spec.selector);
        const found = listWorkloads(objects).filter(({ template }) =>
          labels.every(([key, value]) => template.metadata?.labels?.[key] === value),
        );
        expect(found, metadata.name).toHaveLength(1);
        const ports = found.flatMap(listContainers).flatMap((container) => container.ports?.map(({ name }) => name));
        for (const { targetPort } of spec.ports ?? []) expect(ports, metadata.name).toContain(targetPort);
        if (kind === 'PodDisruptionBudget') expect(spec.maxUnavailable).toBe(1);
      }
  });
});
