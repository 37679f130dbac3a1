/** One address of a server. */
export interface Place {
  host: string;
  port: number;
  /** The namespace of a Service in the same cluster; null for a server outside. */
  namespace: string | null;
}

/** Postgres, NATS or Redis, as the pods reach it. */
export interface ServerPlace {
  /** What `npm run secrets` takes: all servers as `host:port`, after commas, or `sentinel://host:port,.../name`. */
  text: string;
  /** Where it may be reached; Redis' sentinels lead to other ports. */
  ports: readonly number[];
  /** The namespaces of Services in the same cluster; none for a server outside. */
  namespaces: readonly string[];
  /** Subnets that it may stand in, in CIDR notation; of servers outside. */
  networks: readonly string[];
  tls: boolean;
}

export const serverNames = ['postgres', 'nats', 'redis'] as const;
export type ServerName = (typeof serverNames)[number];

/** What takes requests from outside: a controller of Ingresses, by its class, or a Gateway of Gateway API. */
export type Entry =
  | { kind: 'nginx' | 'haproxy' | 'traefik'; host: string; class: string }
  | { kind: 'gateway'; host: string; gateway: string; gatewayNamespace: string };

/** The OpenID provider that people sign in to the console with. */
interface OidcPlace {
  issuer: string;
  port: number;
  clientId: string;
  /** Whether the client has a secret, in a file of the Secret of management. */
  hasSecret: boolean;
  /** Subnets that it may stand in; none where it has public addresses. */
  networks: readonly string[];
}

/** All that an overlay for production is made of. */
export interface Deployment {
  proxy: Entry;
  /** Null where management is reached by port-forward alone. */
  management: Entry | null;
  /** Null where people sign in without one. */
  oidc: OidcPlace | null;
  /** Where the controller's, or the Gateway's, pods run. */
  ingressNamespace: string;
  /** The same of management's host. */
  managementIngressNamespace: string;
  /** cert-manager's ClusterIssuer; null where the certificates come as files. */
  issuer: string | null;
  servers: Readonly<Record<ServerName, ServerPlace>>;
  database: string;
  /** Images lie below it: `registry.example.com/team`. */
  registry: string;
  /** The Secret with its password. */
  pullSecret: string | null;
  /** Ids of providers whose keys the proxy holds. */
  providerKeys: readonly string[];
  /** Whether servers have certificates of an authority of one's own; its `ca.crt` lies in the overlay. */
  hasAuthority: boolean;
  /** Whether roles are made in the cluster, with an administrator's URL. */
  createsRoles: boolean;
  /** NATS' monitoring endpoint as `host:port`, which KEDA scales writers by. */
  keda: string | null;
  /** Prometheus' namespace. */
  monitoringNamespace: string | null;
  podMonitor: boolean;
}
