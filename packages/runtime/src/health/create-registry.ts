import { collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client';
import manifest from '../../package.json' with { type: 'json' };

/** The product's version; every package of the workspace has the same. */
export const version: string = manifest.version;

/** Node's metrics, collected once for a process: each collection observes its garbage collector until the process ends. */
let ofProcess: Registry | undefined;

function collectOfProcess(): Registry {
  const register = new Registry();
  collectDefaultMetrics({ register });
  return register;
}

/** A registry with the metrics of every service: Node's default ones and `agp_build_info`. */
export function createRegistry(service: string): Registry {
  const registry = new Registry();
  ofProcess ??= collectOfProcess();
  for (const metric of ofProcess.getMetricsAsArray()) registry.registerMetric(metric as unknown as Metric);
  const build = new Gauge({
    name: 'agp_build_info',
    help: 'Always 1; which service this is, and its version',
    labelNames: ['version', 'service'],
    registers: [registry],
  });
  build.set({ version, service }, 1);
  return registry;
}
