import { type KubernetesObject, listWorkloads } from '../render-kustomization.ts';

const services = ['proxy', 'writer', 'management'];
const paths = { startupProbe: '/healthz', livenessProbe: '/healthz', readinessProbe: '/readyz' } as const;

/**
 * What runs for long is probed in three ways; our services by their ops port, where `/healthz` asks the process alone and `/readyz` its
 * dependencies. Liveness waits at least half a minute: a restart cuts every open stream.
 */
export function* checkProbes(objects: KubernetesObject[]): Generator<string> {
  for (const { kind, name, template } of listWorkloads(objects)) {
    if (kind === 'Job' || kind === 'CronJob') continue;
    for (const container of template.spec.containers) {
      for (const field of Object.keys(paths) as (keyof typeof paths)[]) {
        const probe = container[field];
        if (probe === undefined) {
          yield `${name}: has no ${field}`;
          continue;
        }
        const { periodSeconds = 10, timeoutSeconds = 1, failureThreshold = 3, httpGet } = probe;
        if (timeoutSeconds > periodSeconds) yield `${name}: ${field} starts again before it has ended`;
        if (field === 'livenessProbe' && periodSeconds * failureThreshold < 30)
          yield `${name}: is ended after ${periodSeconds * failureThreshold} s of silence`;
        if (services.includes(name) && (httpGet?.path !== paths[field] || httpGet.port !== 'ops'))
          yield `${name}: ${field} does not ask ${paths[field]} on the ops port`;
      }
    }
  }
}
