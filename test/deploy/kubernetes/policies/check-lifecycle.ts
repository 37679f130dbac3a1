import { toStopLimit } from '@agp/runtime';
import { type KubernetesObject, listWorkloads, type Workload } from '../render-kustomization.ts';
import { isService, loadService, readEnvironment } from './check-environment.ts';

/** How long a stream of a proxy may at least go on when its pod is told to stop, in seconds. */
const longStreamSeconds = 300;

function* checkService({ name, template, object }: Workload, objects: KubernetesObject[]): Generator<string> {
  const [container] = template.spec.containers;
  if (container === undefined || !isService(name)) return;
  const { type, rollingUpdate } = object.spec.strategy ?? {};
  if (type !== 'RollingUpdate' || rollingUpdate?.maxUnavailable !== 0)
    yield `${name}: an update ends pods before others are ready`;
  const preStop = container.lifecycle?.preStop?.sleep?.seconds ?? 0;
  const config = loadService(name, readEnvironment(container, objects));
  const needed = preStop + toStopLimit(config) / 1_000;
  const given = template.spec.terminationGracePeriodSeconds ?? 30;
  if (given <= needed) yield `${name}: is killed after ${given} s, and may take ${needed} s to stop`;
  if (name === 'writer') return;
  if (preStop < 5) yield `${name}: stops before its endpoint is gone everywhere`;
  if (config.drainDelaySeconds < 5) yield `${name}: closes its port before kept-alive connections have moved on`;
  if (name === 'proxy' && config.shutdownGraceSeconds < longStreamSeconds)
    yield `${name}: ends streams after ${config.shutdownGraceSeconds} s`;
}

function* checkJob({ kind, name, template, object }: Workload): Generator<string> {
  const { activeDeadlineSeconds, backoffLimit, ttlSecondsAfterFinished } =
    kind === 'CronJob' ? object.spec.jobTemplate.spec : object.spec;
  if (!activeDeadlineSeconds) yield `${name}: may run for ever`;
  // A person looks at what their command did.
  if (name !== 'operator' && !backoffLimit) yield `${name}: gives up at once`;
  if (name !== 'operator' && template.spec.restartPolicy !== 'OnFailure')
    yield `${name}: leaves a pod for each failure`;
  // A command is given again by a person; what a tool applies every hour would be made again once it has gone.
  if (name === 'operator' && !ttlSecondsAfterFinished) yield `${name}: stays for ever`;
  if (kind === 'Job' && name !== 'operator') {
    if (ttlSecondsAfterFinished !== undefined) yield `${name}: would be made again by what applies it every hour`;
    // A Job cannot be changed.
    if (object.metadata.name === name) yield `${name}: the next version could not be applied`;
  }
  if (kind === 'CronJob' && object.spec.concurrencyPolicy !== 'Forbid') yield `${name}: may run twice at once`;
}

/** Pods have the time that their services need to stop, updates take none away too early, and Jobs end. */
export function* checkLifecycle(objects: KubernetesObject[]): Generator<string> {
  for (const workload of listWorkloads(objects))
    if (workload.kind === 'Job' || workload.kind === 'CronJob') yield* checkJob(workload);
    else yield* checkService(workload, objects);
}
