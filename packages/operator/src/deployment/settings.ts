/** A setting of `settings.env`, as the values of the chart have it. */
interface Setting {
  /** Its path in `values.yaml`. */
  value: string;
  /** The part without which nobody reads it, by the names of the components that bring it; needed always if there are none. */
  parts?: readonly string[];
}

const ways = ['ingress', 'ingress-nginx', 'ingress-haproxy', 'ingress-traefik'];

/** Every setting of the overlay that is copied, in its order. */
export const settings = {
  AGENTS_HOST: { value: 'ingress.host', parts: [...ways, 'gateway'] },
  REGISTRY: { value: 'image.repository' },
  INGRESS_CLASS: { value: 'ingress.className', parts: ways },
  CLUSTER_ISSUER: { value: 'ingress.clusterIssuer', parts: ['http01'] },
  INSTANCE: { value: 'instance' },
  RETENTION_DAYS: { value: 'retention.days' },
  RETENTION_BY_LAW: { value: 'retention.requiredBy' },
  POSTGRES_HOST: { value: 'postgres.host' },
  POSTGRES_PORT: { value: 'postgres.port' },
  POSTGRES_NETWORK: { value: 'postgres.network' },
  NATS_HOST: { value: 'nats.host' },
  NATS_PORT: { value: 'nats.port' },
  NATS_NETWORK: { value: 'nats.network' },
  REDIS_HOST: { value: 'redis.host' },
  REDIS_PORT: { value: 'redis.port' },
  REDIS_NETWORK: { value: 'redis.network' },
  API_HOST: { value: 'management.ingress.host', parts: ['ingress-management', 'gateway-management'] },
  API_CLASS: { value: 'management.ingress.className', parts: ['ingress-management'] },
  NATS_MONITORING: { value: 'keda.natsMonitoring', parts: ['keda'] },
  EGRESS_PROXY: { value: 'egressProxy.url', parts: ['egress-proxy'] },
  EGRESS_PROXY_NETWORK: { value: 'egressProxy.network', parts: ['egress-proxy'] },
  EGRESS_PROXY_PORT: { value: 'egressProxy.port', parts: ['egress-proxy'] },
  NO_PROXY: { value: 'egressProxy.noProxy', parts: ['egress-proxy'] },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof settings;

/** What an installation may have beside the services, by its component; the value that the chart has it by. */
export const parts: Record<string, string> = {
  'ingress-nginx': 'ingress.enabled',
  http01: 'ingress.http01',
  gateway: 'gateway.enabled',
  'in-cluster-agents': 'inClusterAgents.enabled',
  'ingress-management': 'management.ingress.enabled',
  'gateway-management': 'management.gateway.enabled',
  alerts: 'alerts.enabled',
  'create-roles': 'createRoles.enabled',
  'egress-proxy': 'egressProxy.enabled',
  keda: 'keda.enabled',
  mesh: 'mesh.enabled',
  monitoring: 'monitoring.enabled',
  'node-local-dns': 'nodeLocalDns.enabled',
  oidc: 'oidc.enabled',
  openshift: 'openshift.enabled',
  'pod-monitor': 'podMonitor.enabled',
  'private-ca': 'privateCa.enabled',
  tracing: 'tracing.enabled',
};
