import { type Container, type KubernetesObject, listContainers, listWorkloads } from '../render-kustomization.ts';

const units: Record<string, number> = {
  '': 1,
  m: 0.001,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  k: 1e3,
  M: 1e6,
  G: 1e9,
};

/** A Kubernetes quantity as a number: cores or bytes. */
export function parseQuantity(quantity: string | number): number {
  const [, digits = '', unit = ''] = /^([\d.]+)([A-Za-z]*)$/.exec(String(quantity)) ?? [];
  const factor = units[unit];
  if (digits === '' || factor === undefined) throw new Error(`not a quantity: ${quantity}`);
  return Number(digits) * factor;
}

function* checkContainer(name: string, { resources }: Container): Generator<string> {
  for (const resource of ['cpu', 'memory']) {
    const request = resources?.requests?.[resource];
    const limit = resources?.limits?.[resource];
    if (request === undefined) yield `${name}: requests no ${resource}`;
    if (limit === undefined) yield `${name}: has no limit of ${resource}`;
    if (request !== undefined && limit !== undefined && parseQuantity(request) > parseQuantity(limit))
      yield `${name}: requests more ${resource} than its limit`;
  }
}

/** packages/metering/src/text/offload.ts: the heap that each of the proxy's two workers may grow to. */
const workerHeapBytes = 768 * 2 ** 20;
/** What the proxy was seen to need beside them and the bodies it buffers, with some thousands of open streams (docs/deploy.md). */
const proxyBytes = 512 * 2 ** 20;

/** Every container says what it needs and what it may take at most, and the proxy's bodies and workers fit into that. */
export function* checkResources(objects: KubernetesObject[]): Generator<string> {
  for (const workload of listWorkloads(objects))
    for (const container of listContainers(workload)) {
      const name = `${workload.name}/${container.name}`;
      yield* checkContainer(name, container);
      if (name !== 'proxy/proxy') continue;
      const config = objects.find(
        ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === container.envFrom?.[0]?.configMapRef?.name,
      );
      const needed = proxyBytes + 2 * workerHeapBytes + Number(config?.data?.MAX_BUFFERED_BYTES);
      const limit = parseQuantity(container.resources?.limits?.memory ?? 0);
      if (!(needed <= limit)) yield `${name}: may need ${needed} bytes, and is ended at ${limit}`;
    }
}
