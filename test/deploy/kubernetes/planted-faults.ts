import { type Fault, plantedApiFaults } from './planted-api-faults.ts';
import type { policies } from './policies/index.ts';
import { type KubernetesObject, listWorkloads, nameOf } from './render-kustomization.ts';

const fromSecret = { secretKeyRef: { name: 'agp-proxy', key: 'database-url' } };

/**
 * A violation of all that the policies look for. An object is `Kind name`, a ConfigMap's name without its hash. A path that begins
 * with `pod` means the pod template's spec, with `container` its first container; `-` adds to a list.
 */
export const plantedFaults: Record<keyof typeof policies, Fault[]> = {
  ...plantedApiFaults,
  checkEnvironment: [
    ['ConfigMap proxy', 'data.TRUST_PROXIES', '1', 'proxy: nothing reads TRUST_PROXIES'],
    [
      'ConfigMap writer',
      'data.PROVIDER_OPENAI_API_KEY_FILE',
      'x',
      'writer: nothing reads PROVIDER_OPENAI_API_KEY_FILE',
    ],
    ['ConfigMap proxy', 'data.AGENT_IDENTITY', 'yes', 'AGENT_IDENTITY: must be one of'],
    ['ConfigMap writer', 'data.EVENT_STREAM_REPLICAS', '9', 'EVENT_STREAM_REPLICAS: must be'],
    ['ConfigMap management', 'data.OPS_PORT', '9999', 'management: does not listen on ops 9081'],
    ['Deployment proxy', 'container.ports.0.containerPort', 80, 'proxy: does not listen on http 80'],
    ['Job migrate', 'pod.initContainers.0.env.1.name', 'AGP_OWNER_PASSWORD', 'create-roles: nothing reads AGP_OWNER'],
    [
      'Deployment proxy',
      'spec.template.metadata.annotations.prometheus~io/port',
      '8080',
      'proxy: Prometheus asks another port',
    ],
  ],
  checkImages: [
    ['Deployment proxy', 'container.image', 'a/proxy', 'a/proxy has no tag'],
    ['StatefulSet redis', 'container.image', 'redis:8.10.2', 'redis:8.10.2 names no registry'],
    ['Deployment proxy', 'container.imagePullPolicy', 'Always', 'proxy/proxy: asks the registry at each start'],
    ['Deployment proxy', 'container.image', 'a.example:5000/proxy', 'a.example:5000/proxy has no tag'],
    ['CronJob maintain', 'container.image', 'a/b:latest', 'a/b:latest is no exact version'],
    ['Deployment proxy', 'container.image', 'docker.io/library/redis:8.10.2', 'redis:8.10.2 is not pinned by digest'],
  ],
  checkLifecycle: [
    ['ConfigMap proxy', 'data.SHUTDOWN_GRACE_SECONDS', '600', 'proxy: is killed after 330 s, and may take 625 s'],
    ['Deployment writer', 'pod.terminationGracePeriodSeconds', undefined, 'writer: is killed after 30 s'],
    ['ConfigMap proxy', 'data.SHUTDOWN_GRACE_SECONDS', '25', 'proxy: ends streams after 25 s'],
    ['Deployment management', 'container.lifecycle', undefined, 'management: stops before its endpoint is gone'],
    ['ConfigMap management', 'data.DRAIN_DELAY_SECONDS', '0', 'management: closes its port before'],
    ['Deployment proxy', 'spec.strategy', undefined, 'proxy: an update ends pods before'],
    ['Job migrate', 'spec.ttlSecondsAfterFinished', 3_600, 'migrate: would be made again'],
    ['Job migrate', 'metadata.name', 'migrate', 'migrate: the next version could not be applied'],
    ['Job operator', 'spec.ttlSecondsAfterFinished', undefined, 'operator: stays for ever'],
    ['Job migrate', 'spec.activeDeadlineSeconds', undefined, 'migrate: may run for ever'],
    ['Job migrate', 'spec.backoffLimit', 0, 'migrate: gives up at once'],
    ['CronJob maintain', 'pod.restartPolicy', 'Never', 'maintain: leaves a pod for each'],
    ['CronJob maintain', 'spec.concurrencyPolicy', undefined, 'maintain: may run twice'],
  ],
  checkPodSecurity: [
    ['Deployment proxy', 'pod.securityContext.runAsNonRoot', undefined, 'proxy: runAsNonRoot is not set'],
    ['StatefulSet redis', 'pod.securityContext.runAsUser', 0, "redis: runAsUser and runAsGroup are not set, or root's"],
    ['Job migrate', 'pod.securityContext.seccompProfile', undefined, 'migrate: seccompProfile is not'],
    ['Deployment proxy', 'pod.securityContext.sysctls', [], 'proxy: sets sysctls'],
    ['CronJob maintain', 'pod.hostNetwork', true, 'maintain: sets hostNetwork'],
    ['CronJob maintain', 'pod.hostPID', true, 'maintain: sets hostPID'],
    ['Deployment writer', 'pod.automountServiceAccountToken', undefined, 'writer: has a service account'],
    ['Deployment proxy', 'pod.enableServiceLinks', undefined, "proxy: gets Services' addresses"],
    ['Deployment writer', 'pod.volumes.-', { name: 'host', hostPath: { path: '/' } }, 'volume host is a hostPath'],
    [
      'Deployment proxy',
      'container.securityContext.allowPrivilegeEscalation',
      undefined,
      'proxy/proxy: may escalate its privileges',
    ],
    [
      'StatefulSet postgres',
      'container.securityContext.readOnlyRootFilesystem',
      false,
      'postgres/postgres: may write to its root',
    ],
    ['Deployment proxy', 'container.securityContext.privileged', true, 'proxy/proxy: is privileged'],
    ['Deployment writer', 'container.securityContext.capabilities.drop', ['KILL'], 'writer/writer: does not drop all'],
    ['Deployment writer', 'container.securityContext.capabilities.add', ['SYS_ADMIN'], 'writer/writer: adds'],
    ['Deployment writer', 'container.securityContext.seccompProfile', { type: 'Unconfined' }, 'profile of its own'],
    ['Deployment writer', 'container.securityContext.procMount', 'Unmasked', 'writer/writer: sets procMount'],
    ['Job migrate', 'pod.initContainers.0.securityContext.runAsUser', 0, 'migrate/create-roles: runs as root'],
    ['Deployment proxy', 'container.ports.0.hostPort', 80, 'proxy/proxy: takes a host port'],
    ['ServiceAccount proxy', 'automountServiceAccountToken', undefined, "proxy: its service account's token"],
    ['Service proxy', 'kind', 'ClusterRoleBinding', 'no pod needs a ClusterRoleBinding'],
    ['Service proxy', 'kind', 'Namespace', 'proxy: pruning would take the Secrets of this namespace along'],
  ],
  checkProbes: [
    ['Deployment writer', 'container.startupProbe', undefined, 'writer: has no startupProbe'],
    ['Deployment proxy', 'container.livenessProbe.httpGet.path', '/readyz', 'proxy: livenessProbe does not ask'],
    ['Deployment management', 'container.readinessProbe.httpGet.port', 'http', 'management: readinessProbe does not'],
    ['Deployment proxy', 'container.livenessProbe.failureThreshold', 1, 'proxy: is ended after 10 s of silence'],
    ['StatefulSet nats', 'container.readinessProbe.timeoutSeconds', 6, 'nats: readinessProbe starts again'],
  ],
  checkReferences: [
    ['Service proxy', 'spec.selector', { app: 'proxy' }, 'Service proxy: selects 0 workloads'],
    ['Service management', 'spec.ports.0.targetPort', 'web', 'Service management: no pod has a port web'],
    ['Ingress proxy', 'spec.rules.0.http.paths.0.backend.service.name', 'a', 'Ingress proxy: no such port of a'],
    ['Ingress proxy', 'spec.rules.0.host', 'x.example.com', 'x.example.com has no certificate'],
    ['Deployment writer', 'spec.selector.matchLabels', { a: 'b' }, 'writer: does not select its pods'],
    ['Deployment writer', 'pod.serviceAccountName', 'proxy', 'writer: has no service account of its own'],
    ['CronJob maintain', 'spec.jobTemplate.metadata', undefined, 'maintain: is not found by its name'],
    ['StatefulSet redis', 'metadata.labels', {}, 'redis: is not found by its name'],
    ['ConfigMap maintain', 'metadata.name', 'other', 'maintain: there is no ConfigMap maintain'],
    ['Deployment proxy', 'container.volumeMounts.0.name', 'other', 'proxy: there is no volume other'],
    [
      'Job migrate',
      'pod.initContainers.0.volumeMounts.1.mountPath',
      '/ca',
      'migrate/create-roles: cannot read the auth',
    ],
    ['Deployment writer', 'container.volumeMounts.1.name', 'secrets', "writer/writer: cannot read the authority's"],
    ['StatefulSet nats', 'spec.serviceName', 'other', 'nats: has no Service'],
    ['Service proxy', 'metadata.namespace', undefined, 'Service proxy: is not in the namespace'],
    ['PodDisruptionBudget writer', 'spec.selector.matchLabels', { a: 'b' }, 'writer: protects nothing'],
    ['ScaledObject writer', 'spec.scaleTargetRef.name', 'other', 'ScaledObject writer: scales nothing'],
    ['Deployment proxy', 'spec.replicas', 3, 'HorizontalPodAutoscaler proxy: an apply would set back'],
  ],
  checkResources: [
    ['Deployment proxy', 'container.resources.limits.memory', undefined, 'proxy/proxy: has no limit of memory'],
    ['CronJob maintain', 'container.resources.requests', undefined, 'maintain/maintain: requests no cpu'],
    ['Deployment writer', 'container.resources.requests.cpu', '3', 'writer/writer: requests more cpu'],
    ['ConfigMap proxy', 'data.MAX_BUFFERED_BYTES', '536870912', 'proxy/proxy: may need'],
    ['ConfigMap proxy', 'data.MAX_BUFFERED_BYTES', undefined, 'proxy/proxy: may need'],
  ],
  checkSecrets: [
    ['Deployment proxy', 'container.env', [{ name: 'X', valueFrom: fromSecret }], 'X is a secret in its environment'],
    ['Deployment proxy', 'container.env', [{ name: 'API_KEY', value: 'x' }], 'API_KEY would be a secret'],
    [
      'Deployment writer',
      'container.envFrom.-',
      { secretRef: { name: 'agp-writer' } },
      'writer/writer: a Secret is in',
    ],
    ['ConfigMap writer', 'data.DATABASE_URL', 'x', 'DATABASE_URL is a secret'],
    ['ConfigMap management', 'data.NOTE', 'redis://management:hunter2@redis', 'NOTE is a secret'],
    ['ConfigMap proxy', 'data.NATS_URL_FILE', '/run/secrets/agp/nats', 'the key nats, which the Secret agp-proxy'],
    ['ConfigMap proxy', 'data.NATS_URL_FILE', '/run/secrets/other/nats-url', 'names a file that is not mounted'],
    ['Deployment proxy', 'pod.volumes.0.secret.defaultMode', 0o644, 'proxy: everybody in the pod can read'],
    ['Deployment writer', 'pod.securityContext.fsGroup', undefined, 'writer: its group cannot read'],
    ['Job migrate', 'pod.volumes.0.secret.secretName', 'agp-owner', 'nothing makes the Secret agp-owner'],
    ['Deployment proxy', 'pod.volumes.1.secret.optional', undefined, 'nothing makes the Secret agp-provider-keys'],
    ['Service proxy', 'kind', 'Secret', 'proxy: a Secret stands among the manifests'],
  ],
};

type Tree = Record<string, unknown>;

/** @returns what a path begins with, and the rest of it */
function findRoot(object: KubernetesObject, path: string): [Tree, string[]] {
  // A dot within a key is written as ~.
  const [first = '', ...rest] = path.split('.').map((step) => step.replaceAll('~', '.'));
  const pod = listWorkloads([object])[0]?.template.spec;
  if (first === 'pod' && pod) return [pod as unknown as Tree, rest];
  if (first === 'container' && pod?.containers[0]) return [pod.containers[0] as unknown as Tree, rest];
  return [object, [first, ...rest]];
}

/** Changes the member of every object that is meant. */
export function plantFault(objects: KubernetesObject[], [meant, path, value]: Fault): void {
  const found = objects.filter((object) => meant === `${object.kind} ${nameOf(object)}`);
  for (const object of found) {
    const [root, steps] = findRoot(object, path);
    const last = steps.pop() ?? '';
    const parent = steps.reduce((at, step) => at?.[step] as Tree, root);
    if (Array.isArray(parent) && last === '-') parent.push(value);
    else if (value === undefined) delete parent?.[last];
    else if (parent) parent[last] = value;
  }
}
