import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import manifest from '../../package.json' with { type: 'json' };

/** The product's version; every package of the workspace has the same. */
export const version: string = manifest.version;

/** A registry with the metrics of every service: Node's default ones and `agp_build_info`. */
export function createRegistry(service: string): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const build = new Gauge({
    name: 'agp_build_info',
    help: 'Always 1; which service this is, and its version',
    labelNames: ['version', 'service'],
    registers: [registry],
  });
  build.set({ version, service }, 1);
  return registry;
}
