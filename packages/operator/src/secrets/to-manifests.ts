interface SecretManifest {
  apiVersion: 'v1';
  kind: 'Secret';
  metadata: { name: string; namespace: string; labels: Record<string, string> };
  type: 'Opaque' | 'kubernetes.io/tls';
  stringData: Record<string, string>;
}

/** A list of Kubernetes Secrets, for `kubectl apply -f -`: the secrets of the folder `proxy` are the keys of the Secret `agp-proxy`. */
export function toManifests(secrets: ReadonlyMap<string, string>, namespace: string) {
  const byFolder = Map.groupBy(secrets, ([path]) => path.slice(0, path.indexOf('/')));
  const items = [...byFolder].map(
    ([folder, entries]): SecretManifest => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `agp-${folder}`, namespace, labels: { 'app.kubernetes.io/part-of': 'agent-governance-proxy' } },
      type: folder.endsWith('-tls') ? 'kubernetes.io/tls' : 'Opaque',
      stringData: Object.fromEntries(entries.map(([path, text]) => [path.slice(folder.length + 1), text])),
    }),
  );
  return { apiVersion: 'v1', kind: 'List', items };
}

/** The namespace that the Secrets are in, as k8s/namespace has it: nothing in it needs more than `restricted` allows. */
export function toNamespace(namespace: string) {
  const level = 'restricted';
  const labels = {
    'app.kubernetes.io/part-of': 'agent-governance-proxy',
    'pod-security.kubernetes.io/enforce': level,
    'pod-security.kubernetes.io/enforce-version': 'latest',
    'pod-security.kubernetes.io/audit': level,
    'pod-security.kubernetes.io/warn': level,
  };
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } };
}
