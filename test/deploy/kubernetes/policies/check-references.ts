import { type KubernetesObject, listContainers, listWorkloads, type Workload } from '../render-kustomization.ts';

const authority = 'agp-ca';

function isSubset(part: Record<string, string> = {}, whole: Record<string, string> = {}): boolean {
  const entries = Object.entries(part);
  return entries.length > 0 && entries.every(([key, value]) => whole[key] === value);
}

function findSelected(workloads: Workload[], selector: Record<string, string> | undefined): Workload[] {
  return workloads.filter(({ template }) => isSubset(selector, template.metadata?.labels));
}

function* checkWorkload({ kind, name, template, object }: Workload, has: (kind: string, name: string) => boolean) {
  const { serviceAccountName = 'default', volumes = [], containers, initContainers = [] } = template.spec;
  if (serviceAccountName !== name || !has('ServiceAccount', name)) yield `${name}: has no service account of its own`;
  if (kind === 'Deployment' || kind === 'StatefulSet')
    if (!isSubset(object.spec.selector.matchLabels, template.metadata?.labels))
      yield `${name}: does not select its pods`;
  const { labels } = kind === 'CronJob' ? (object.spec.jobTemplate.metadata ?? {}) : object.metadata;
  for (const each of [labels, template.metadata?.labels])
    if (each?.['app.kubernetes.io/name'] !== name) yield `${name}: is not found by its name`;
  if (kind === 'StatefulSet' && !has('Service', object.spec.serviceName)) yield `${name}: has no Service`;
  const claimed = (object.spec.volumeClaimTemplates ?? []).map(({ metadata }: KubernetesObject) => metadata.name);
  const known = new Set([...volumes.map((volume) => volume.name), ...claimed]);
  // The authority's is made by hand, from a file: components/private-ca.
  for (const { configMap } of volumes)
    if (configMap?.name && configMap.name !== authority && !has('ConfigMap', configMap.name))
      yield `${name}: there is no ConfigMap ${configMap.name}`;
  for (const container of [...initContainers, ...containers]) {
    for (const { configMapRef } of container.envFrom ?? [])
      if (!has('ConfigMap', configMapRef?.name ?? '')) yield `${name}: there is no ConfigMap ${configMapRef?.name}`;
    for (const mount of container.volumeMounts ?? [])
      if (!known.has(mount.name)) yield `${name}: there is no volume ${mount.name}`;
  }
}

/**
 * Where servers are known by an authority of one's own, every container of the pod has its certificate. A volume of it that may be
 * missing is there for that case, and asks nothing of the others.
 */
function* checkAuthority({ name, template: { spec } }: Workload): Generator<string> {
  const volumes = (spec.volumes ?? []).filter(({ configMap }) => configMap?.name === authority);
  if (volumes.every(({ configMap }) => configMap?.optional)) return;
  for (const container of [...(spec.initContainers ?? []), ...spec.containers]) {
    const mounts = (container.volumeMounts ?? []).filter((mount) =>
      volumes.some((volume) => volume.name === mount.name),
    );
    if (!mounts.some(({ mountPath }) => mountPath === '/etc/agp-ca'))
      yield `${name}/${container.name}: cannot read the authority's certificate`;
  }
}

function* checkService({ metadata, spec }: KubernetesObject, workloads: Workload[]): Generator<string> {
  const selected = findSelected(workloads, spec.selector);
  if (selected.length !== 1) yield `Service ${metadata.name}: selects ${selected.length} workloads`;
  const ports = selected.flatMap(listContainers).flatMap(({ ports: list = [] }) => list);
  for (const { targetPort } of spec.ports)
    if (!ports.some(({ name }) => name === targetPort))
      yield `Service ${metadata.name}: no pod has a port ${targetPort}`;
}

function* checkIngress({ metadata, spec }: KubernetesObject, objects: KubernetesObject[]): Generator<string> {
  for (const { http } of spec.rules)
    for (const { backend } of http.paths) {
      const service = objects.find(
        ({ kind, metadata: { name } }) => kind === 'Service' && name === backend.service.name,
      );
      const ports: { name: string }[] = service?.spec.ports ?? [];
      if (!ports.some(({ name }) => name === backend.service.port.name))
        yield `Ingress ${metadata.name}: no such port of ${backend.service.name}`;
    }
  const hosts = new Set(spec.tls?.flatMap((tls: { hosts: string[] }) => tls.hosts));
  for (const { host } of spec.rules)
    if (spec.tls && !hosts.has(host)) yield `Ingress ${metadata.name}: ${host} has no certificate`;
}

/** What one object says of another is so: names, labels and ports. */
export function* checkReferences(objects: KubernetesObject[]): Generator<string> {
  const workloads = listWorkloads(objects);
  const has = (kind: string, name: string) => objects.some((o) => o.kind === kind && o.metadata.name === name);
  for (const workload of workloads) {
    yield* checkWorkload(workload, has);
    yield* checkAuthority(workload);
  }
  for (const object of objects) {
    const { kind, metadata, spec } = object;
    if (kind !== 'Namespace' && metadata.namespace !== 'agp') yield `${kind} ${metadata.name}: is not in the namespace`;
    if (kind === 'Service') yield* checkService(object, workloads);
    if (kind === 'Ingress') yield* checkIngress(object, objects);
    if (kind === 'PodDisruptionBudget' && findSelected(workloads, spec.selector.matchLabels).length !== 1)
      yield `PodDisruptionBudget ${metadata.name}: protects nothing`;
    const target = spec?.scaleTargetRef;
    if (target && !has(target.kind ?? 'Deployment', target.name)) yield `${kind} ${metadata.name}: scales nothing`;
    if (target && objects.some((o) => o.metadata.name === target.name && o.spec?.replicas !== undefined))
      yield `${kind} ${metadata.name}: an apply would set back what it scales`;
  }
}
