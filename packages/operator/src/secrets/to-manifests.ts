interface SecretManifest {
  apiVersion: 'v1';
  kind: 'Secret';
  metadata: { name: string; namespace: string; labels: Record<string, string> };
  type: 'Opaque';
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
      type: 'Opaque',
      stringData: Object.fromEntries(entries.map(([path, text]) => [path.slice(folder.length + 1), text])),
    }),
  );
  return { apiVersion: 'v1', kind: 'List', items };
}
