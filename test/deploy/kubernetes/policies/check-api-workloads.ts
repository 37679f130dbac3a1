import {
  type Container,
  type KubernetesObject,
  listContainers,
  listWorkloads,
  type Workload,
} from '../render-kustomization.ts';
import { parseQuantity } from './check-resources.ts';

const quantity = /^\d+(\.\d+)?(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?\d+)?$/;
const isCount = (value: unknown) => Number.isInteger(value) && Number(value) >= 0;

function* checkQuantities(owner: string, { resources = {} }: Pick<Container, 'resources'>): Generator<string> {
  const { requests = {}, limits = {} } = resources;
  for (const [resource, value] of [...Object.entries(requests), ...Object.entries(limits)])
    if (!quantity.test(String(value))) yield `${owner}: ${value} is no quantity of ${resource}`;
  for (const [resource, value] of Object.entries(requests)) {
    const limit = limits[resource];
    if (limit === undefined || !quantity.test(String(value)) || !quantity.test(String(limit))) continue;
    if (parseQuantity(value) > parseQuantity(limit)) yield `${owner}: requests more ${resource} than its limit`;
  }
}

const handlers = ['httpGet', 'tcpSocket', 'exec', 'grpc'] as const;

function* checkProbe(owner: string, kind: string, probe: NonNullable<Container['livenessProbe']>): Generator<string> {
  if (handlers.filter((each) => probe[each] !== undefined).length !== 1)
    yield `${owner}: its ${kind} needs one handler`;
  for (const field of [
    'initialDelaySeconds',
    'periodSeconds',
    'timeoutSeconds',
    'failureThreshold',
    'successThreshold',
  ] as const)
    if (probe[field] !== undefined && !isCount(probe[field])) yield `${owner}: ${kind} has no ${field} ${probe[field]}`;
  if (kind !== 'readinessProbe' && (probe.successThreshold ?? 1) !== 1)
    yield `${owner}: successThreshold of its ${kind}`;
  if (probe.httpGet && !probe.httpGet.path?.startsWith('/')) yield `${owner}: ${kind} has no path`;
}

function* checkContainer(
  owner: string,
  container: Container,
  graceSeconds: number,
  isInit: boolean,
): Generator<string> {
  yield* checkQuantities(owner, container);
  for (const kind of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const) {
    const probe = container[kind];
    if (probe === undefined) continue;
    if (isInit) yield `${owner}: runs before the others, and has a ${kind}`;
    yield* checkProbe(owner, kind, probe);
  }
  const sleep = container.lifecycle?.preStop?.sleep?.seconds;
  if (sleep !== undefined && !(isCount(sleep) && sleep <= graceSeconds))
    yield `${owner}: sleeps ${sleep} s of ${graceSeconds}`;
  const { privileged, allowPrivilegeEscalation, capabilities } = container.securityContext ?? {};
  if (
    allowPrivilegeEscalation === false &&
    (privileged || capabilities?.add?.some((each) => /^(CAP_)?SYS_ADMIN$/.test(each)))
  )
    yield `${owner}: may not escalate its privileges, and has them`;
  for (const { mountPath, subPath = '' } of container.volumeMounts ?? []) {
    if (mountPath === '' || mountPath.includes(':')) yield `${owner}: cannot mount at ${mountPath}`;
    if (subPath.startsWith('/') || subPath.split('/').includes('..')) yield `${owner}: cannot mount ${subPath}`;
  }
}

function* checkPod(workload: Workload): Generator<string> {
  const {
    kind,
    name,
    template: { spec },
  } = workload;
  const policy = spec.restartPolicy ?? 'Always';
  const isJob = kind === 'Job' || kind === 'CronJob';
  if (isJob ? !['Never', 'OnFailure'].includes(policy) : policy !== 'Always')
    yield `${name}: no restartPolicy ${policy}`;
  const graceSeconds = spec.terminationGracePeriodSeconds ?? 30;
  if (!isCount(graceSeconds)) yield `${name}: terminationGracePeriodSeconds ${graceSeconds}`;
  if (spec.activeDeadlineSeconds !== undefined && !(spec.activeDeadlineSeconds >= 1))
    yield `${name}: activeDeadlineSeconds`;
  for (const container of listContainers(workload))
    yield* checkContainer(`${name}/${container.name}`, container, graceSeconds, !spec.containers.includes(container));
  for (const { name: volume, ...source } of spec.volumes ?? []) {
    if (Object.keys(source).length > 1) yield `${name}: the volume ${volume} has several sources`;
    const { secret, configMap, emptyDir } = source;
    const mode = secret?.defaultMode ?? configMap?.defaultMode;
    if (mode !== undefined && !(isCount(mode) && mode <= 0o777))
      yield `${name}: the volume ${volume} has the mode ${mode}`;
    if (emptyDir?.sizeLimit !== undefined && !quantity.test(String(emptyDir.sizeLimit)))
      yield `${name}: sizeLimit of ${volume}`;
  }
  const { seccompProfile, runAsUser = 1, runAsNonRoot } = spec.securityContext ?? {};
  if (seccompProfile && (seccompProfile.type === 'Localhost') !== (seccompProfile.localhostProfile !== undefined))
    yield `${name}: localhostProfile does not go with its seccompProfile`;
  if (runAsNonRoot && runAsUser === 0) yield `${name}: is root and must not be`;
  const spread = spec.topologySpreadConstraints ?? [];
  const keys = spread.map(({ topologyKey, whenUnsatisfiable }) => `${topologyKey} ${whenUnsatisfiable}`);
  if (new Set(keys).size < keys.length) yield `${name}: spreads twice over the same`;
  for (const { maxSkew, whenUnsatisfiable, matchLabelKeys = [], labelSelector } of spread) {
    if (!(maxSkew >= 1)) yield `${name}: no maxSkew ${maxSkew}`;
    if (!['DoNotSchedule', 'ScheduleAnyway'].includes(whenUnsatisfiable)) yield `${name}: no ${whenUnsatisfiable}`;
    if (matchLabelKeys.length > 0 && !labelSelector) yield `${name}: matchLabelKeys without labelSelector`;
    for (const key of matchLabelKeys)
      if (labelSelector?.matchLabels?.[key] !== undefined)
        yield `${name}: ${key} is in labelSelector and matchLabelKeys`;
  }
}

function* checkTemplates({ name, object: { spec } }: Workload): Generator<string> {
  for (const { metadata, spec: claim } of spec.volumeClaimTemplates ?? []) {
    const storage = claim.resources?.requests?.storage;
    if (!quantity.test(String(storage)) || /^0/.test(String(storage)))
      yield `${name}: ${metadata.name} asks for ${storage}`;
    if (!claim.accessModes?.length) yield `${name}: ${metadata.name} has no accessModes`;
  }
}

/** What is said of pods, as an API server takes it: quantities, probes, volumes and what must go together. */
export function* checkApiWorkloads(objects: KubernetesObject[]): Generator<string> {
  for (const workload of listWorkloads(objects)) {
    yield* checkPod(workload);
    yield* checkTemplates(workload);
  }
}
