import { type KubernetesObject, listContainers, listWorkloads, type Workload } from '../render-kustomization.ts';

/** The volume types that the "restricted" standard allows. */
const allowedVolumes = new Set(
  'configMap csi downwardAPI emptyDir ephemeral persistentVolumeClaim projected secret'.split(' '),
);

function* checkPod({ name, template: { spec } }: Workload): Generator<string> {
  const context = spec.securityContext ?? {};
  if (context.runAsNonRoot !== true) yield `${name}: runAsNonRoot is not set`;
  if (!context.runAsUser || !context.runAsGroup) yield `${name}: runAsUser and runAsGroup are not set, or root's`;
  if (context.seccompProfile?.type !== 'RuntimeDefault') yield `${name}: seccompProfile is not RuntimeDefault`;
  if (context.sysctls !== undefined) yield `${name}: sets sysctls`;
  for (const field of ['hostNetwork', 'hostPID', 'hostIPC', 'hostUsers'] as const)
    if (spec[field] !== undefined) yield `${name}: sets ${field}`;
  if (spec.automountServiceAccountToken !== false) yield `${name}: has a service account's token`;
  // A Service named proxy would set PROXY_PORT, a variable of ours.
  if (spec.enableServiceLinks !== false) yield `${name}: gets Services' addresses as variables`;
  for (const { name: volume, ...source } of spec.volumes ?? [])
    for (const type of Object.keys(source))
      if (!allowedVolumes.has(type)) yield `${name}: volume ${volume} is a ${type}`;
}

function* checkContainers(workload: Workload): Generator<string> {
  for (const container of listContainers(workload)) {
    const name = `${workload.name}/${container.name}`;
    const context = container.securityContext ?? {};
    if (context.allowPrivilegeEscalation !== false) yield `${name}: may escalate its privileges`;
    if (context.readOnlyRootFilesystem !== true) yield `${name}: may write to its root file system`;
    if (context.privileged) yield `${name}: is privileged`;
    if (!context.capabilities?.drop?.includes('ALL')) yield `${name}: does not drop all capabilities`;
    if (context.capabilities?.add?.length) yield `${name}: adds capabilities`;
    if (context.runAsNonRoot === false || context.runAsUser === 0) yield `${name}: runs as root`;
    if (context.seccompProfile !== undefined) yield `${name}: has a seccomp profile of its own`;
    if (context.procMount !== undefined) yield `${name}: sets procMount`;
    for (const { hostPort } of container.ports ?? []) if (hostPort !== undefined) yield `${name}: takes a host port`;
  }
}

/**
 * Pod Security "restricted", which the namespace enforces, and beyond it: a read-only root file system, no service account tokens.
 *
 * Source: kubernetes.io, Pod Security Standards.
 */
export function* checkPodSecurity(objects: KubernetesObject[]): Generator<string> {
  for (const workload of listWorkloads(objects)) {
    yield* checkPod(workload);
    yield* checkContainers(workload);
  }
  for (const { kind, metadata, automountServiceAccountToken } of objects) {
    if (kind === 'ServiceAccount' && automountServiceAccountToken !== false)
      yield `${metadata.name}: its service account's token is mounted`;
    if (kind === 'Namespace') yield `${metadata.name}: pruning would take the Secrets of this namespace along`;
    if (/Role/.test(kind)) yield `${metadata.name}: no pod needs a ${kind}`;
  }
}
