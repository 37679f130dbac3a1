import type { KubernetesObject } from '../render-kustomization.ts';

type Spec = KubernetesObject['spec'];
const isCount = (value: unknown) => Number.isInteger(value) && Number(value) >= 0;
/** A number, or a part of all in percent. */
const isPart = (value: unknown) => isCount(value) || (typeof value === 'string' && /^(\d|[1-9]\d|100)%$/.test(value));

function* checkCounts(owner: string, spec: Spec, ...fields: string[]): Generator<string> {
  for (const field of fields)
    if (spec[field] !== undefined && !isCount(spec[field])) yield `${owner}: ${field} is ${spec[field]}`;
}

function* checkSelected(owner: string, { selector, template }: Spec): Generator<string> {
  const labels = selector?.matchLabels ?? {};
  if (Object.keys(labels).length === 0) yield `${owner}: selects nothing`;
  for (const [key, value] of Object.entries(labels))
    if (template.metadata?.labels?.[key] !== value) yield `${owner}: its selector does not match its template's labels`;
}

function* checkDeployment(owner: string, spec: Spec): Generator<string> {
  yield* checkSelected(owner, spec);
  yield* checkCounts(owner, spec, 'replicas', 'revisionHistoryLimit', 'minReadySeconds', 'progressDeadlineSeconds');
  const { type = 'RollingUpdate', rollingUpdate } = spec.strategy ?? {};
  if (!['RollingUpdate', 'Recreate'].includes(type)) yield `${owner}: no strategy ${type}`;
  if (type === 'Recreate' && rollingUpdate) yield `${owner}: recreates, and has rollingUpdate`;
  const { maxUnavailable = '25%', maxSurge = '25%' } = rollingUpdate ?? {};
  for (const part of [maxUnavailable, maxSurge]) if (!isPart(part)) yield `${owner}: no part ${part}`;
  if (/^0%?$/.test(String(maxUnavailable)) && /^0%?$/.test(String(maxSurge)))
    yield `${owner}: no pod could be replaced`;
  if (spec.progressDeadlineSeconds <= (spec.minReadySeconds ?? 0)) yield `${owner}: progressDeadlineSeconds`;
}

function* checkStatefulSet(owner: string, spec: Spec): Generator<string> {
  yield* checkSelected(owner, spec);
  yield* checkCounts(owner, spec, 'replicas', 'revisionHistoryLimit', 'minReadySeconds');
}

function* checkJob(owner: string, spec: Spec): Generator<string> {
  yield* checkCounts(
    owner,
    spec,
    'parallelism',
    'completions',
    'backoffLimit',
    'activeDeadlineSeconds',
    'ttlSecondsAfterFinished',
  );
  if (spec.selector || spec.manualSelector) yield `${owner}: an API server makes its selector`;
}

const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const days = 'sun mon tue wed thu fri sat'.split(' ');
const cronFields: [first: number, last: number, names: string[]][] = [
  [0, 59, []],
  [0, 23, []],
  [1, 31, []],
  [1, 12, ['', ...months]],
  [0, 6, days],
];

/** True for one part of a cron line, between commas: `*`, `5`, `1-5`, `mon-fri`, each with `/2`. */
function isCronPart(text: string, [first, last, names]: (typeof cronFields)[number]): boolean {
  const [range = '', step = '1', ...more] = text.split('/');
  if (more.length > 0 || !/^[1-9]\d*$/.test(step)) return false;
  if (range === '*' || range === '?') return true;
  const [from = '', to = from, ...rest] = range.split('-');
  const [low, high] = [from, to].map((end) => (/^\d{1,2}$/.test(end) ? Number(end) : names.indexOf(end.toLowerCase())));
  if (low === undefined || high === undefined || rest.length > 0 || from === '' || to === '') return false;
  return low >= first && high <= last && low <= high;
}

function* checkCronJob(owner: string, spec: Spec): Generator<string> {
  const fields = String(spec.schedule).split(/\s+/);
  const isCron =
    fields.length === cronFields.length &&
    cronFields.every((rule, place) => fields[place]?.split(',').every((part) => isCronPart(part, rule)));
  if (!isCron && !/^@(hourly|daily|midnight|weekly|monthly|yearly|annually)$/.test(spec.schedule))
    yield `${owner}: ${spec.schedule} is no cron line`;
  if (spec.timeZone !== undefined) {
    try {
      new Intl.DateTimeFormat('en', { timeZone: spec.timeZone });
    } catch {
      yield `${owner}: no time zone ${spec.timeZone}`;
    }
    if (!spec.timeZone || spec.timeZone.toLowerCase() === 'local') yield `${owner}: no time zone ${spec.timeZone}`;
  }
  if (!['Allow', 'Forbid', 'Replace', undefined].includes(spec.concurrencyPolicy))
    yield `${owner}: no ${spec.concurrencyPolicy}`;
  yield* checkCounts(owner, spec, 'startingDeadlineSeconds', 'successfulJobsHistoryLimit', 'failedJobsHistoryLimit');
  yield* checkJob(owner, spec.jobTemplate.spec);
}

function* checkScaler(owner: string, spec: Spec): Generator<string> {
  const { minReplicas = 1, maxReplicas, metrics = [], behavior = {} } = spec;
  if (!(isCount(minReplicas) && minReplicas >= 1 && maxReplicas >= minReplicas))
    yield `${owner}: from ${minReplicas} to ${maxReplicas} replicas`;
  for (const { type, ...source } of metrics) {
    if (source[type.charAt(0).toLowerCase() + type.slice(1)] === undefined)
      yield `${owner}: a metric of ${type} without it`;
    const { type: kind, averageUtilization, averageValue, value } = source.resource?.target ?? {};
    if (
      source.resource &&
      (kind === 'Utilization' ? !(averageUtilization >= 1) : averageValue === undefined && value === undefined)
    )
      yield `${owner}: a target without its value`;
  }
  for (const { stabilizationWindowSeconds = 0, policies = [] } of [behavior.scaleUp, behavior.scaleDown].filter(
    Boolean,
  )) {
    if (!isCount(stabilizationWindowSeconds) || stabilizationWindowSeconds > 3_600)
      yield `${owner}: stabilizationWindowSeconds`;
    if (policies.length === 0) yield `${owner}: a behavior without policies`;
    for (const { type, value, periodSeconds } of policies)
      if (!['Pods', 'Percent'].includes(type) || !(value >= 1) || !(periodSeconds >= 1 && periodSeconds <= 1_800))
        yield `${owner}: ${value} ${type} in ${periodSeconds} s`;
  }
}

function* checkBudget(
  owner: string,
  { minAvailable, maxUnavailable, unhealthyPodEvictionPolicy }: Spec,
): Generator<string> {
  if ((minAvailable === undefined) === (maxUnavailable === undefined)) yield `${owner}: needs one of its two bounds`;
  for (const part of [minAvailable, maxUnavailable])
    if (part !== undefined && !isPart(part)) yield `${owner}: no part ${part}`;
  if (!['IfHealthyBudget', 'AlwaysAllow', undefined].includes(unhealthyPodEvictionPolicy))
    yield `${owner}: no ${unhealthyPodEvictionPolicy}`;
}

const checks: Record<string, (owner: string, spec: Spec) => Generator<string>> = {
  Deployment: checkDeployment,
  StatefulSet: checkStatefulSet,
  Job: checkJob,
  CronJob: checkCronJob,
  HorizontalPodAutoscaler: checkScaler,
  PodDisruptionBudget: checkBudget,
};

/** Fields that must go together, numbers and cron lines, as an API server takes them. */
export function* checkApiFields(objects: KubernetesObject[]): Generator<string> {
  for (const { kind, metadata, spec } of objects) {
    const check = checks[kind];
    if (check !== undefined && spec !== undefined) yield* check(`${kind} ${metadata.name}`, spec);
  }
}
