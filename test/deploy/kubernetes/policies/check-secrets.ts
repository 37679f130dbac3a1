import {
  type Container,
  type KubernetesObject,
  listContainers,
  listWorkloads,
  type Workload,
} from '../render-kustomization.ts';
import { makeSecretManifests } from '../secret-manifests.ts';

/** Secrets that operators may make besides. */
const optionalSecrets = ['agp-provider-keys'];
/** The keys of a Secret that `npm run secrets` makes. */
function listKeys(name: string): string[] | null {
  const secret = makeSecretManifests().find(({ metadata }) => metadata.name === name);
  return secret ? Object.keys(secret.stringData) : null;
}

const secretName = /(PASSWORD|KEY|SECRET|TOKEN|_URL)$/;

/** Where each mounted Secret's files are, in one container. */
function listSecretFiles({ template }: Workload, container: Container): Map<string, string> {
  const mounts = new Map((container.volumeMounts ?? []).map(({ name, mountPath }) => [name, mountPath]));
  return new Map(
    (template.spec.volumes ?? []).flatMap(({ name, secret }) => {
      const path = mounts.get(name);
      return secret?.secretName && path ? [[path, secret.secretName] as const] : [];
    }),
  );
}

function* checkFile(label: string, variable: string, path: string, files: Map<string, string>): Generator<string> {
  const slash = path.lastIndexOf('/');
  const secret = files.get(path.slice(0, slash));
  const key = path.slice(slash + 1);
  if (!path.startsWith('/run/secrets/')) return;
  if (secret === undefined) yield `${label}: ${variable} names a file that is not mounted`;
  else if (!optionalSecrets.includes(secret) && !listKeys(secret)?.includes(key))
    yield `${label}: ${variable} names the key ${key}, which the Secret ${secret} does not have`;
}

function* checkVolumes({ name, template: { spec } }: Workload): Generator<string> {
  for (const { secret } of spec.volumes ?? []) {
    if (secret === undefined) continue;
    const { secretName: secretRef = '', defaultMode, optional } = secret;
    if (defaultMode !== 0o440) yield `${name}: everybody in the pod can read the files of ${secretRef}`;
    if (spec.securityContext?.fsGroup === undefined) yield `${name}: its group cannot read the files of ${secretRef}`;
    if (optionalSecrets.includes(secretRef) ? !optional : listKeys(secretRef) === null)
      yield `${name}: nothing makes the Secret ${secretRef}`;
  }
}

/** Secrets come as files, from Secrets that `npm run secrets` makes, and stand nowhere else. */
export function* checkSecrets(objects: KubernetesObject[]): Generator<string> {
  const configMaps = new Map(
    objects.filter(({ kind }) => kind === 'ConfigMap').map(({ metadata, data }) => [metadata.name, data ?? {}]),
  );
  for (const { kind, metadata, data } of objects) {
    if (kind === 'Secret') yield `${metadata.name}: a Secret stands among the manifests`;
    if (kind !== 'ConfigMap') continue;
    for (const [key, value] of Object.entries(data ?? {}))
      if (secretName.test(key) || /:\/\/[^/\s]*:[^/\s]*@/.test(value)) yield `${metadata.name}: ${key} is a secret`;
  }
  for (const workload of listWorkloads(objects)) {
    yield* checkVolumes(workload);
    for (const container of listContainers(workload)) {
      const label = `${workload.name}/${container.name}`;
      const files = listSecretFiles(workload, container);
      for (const { secretRef, configMapRef } of container.envFrom ?? []) {
        if (secretRef !== undefined) yield `${label}: a Secret is in its environment`;
        for (const [variable, path] of Object.entries(configMaps.get(configMapRef?.name ?? '') ?? {}))
          yield* checkFile(label, variable, path, files);
      }
      for (const { name, value = '', valueFrom } of container.env ?? []) {
        if (valueFrom?.secretKeyRef !== undefined) yield `${label}: ${name} is a secret in its environment`;
        if (secretName.test(name)) yield `${label}: ${name} would be a secret in its environment`;
        yield* checkFile(label, name, value, files);
      }
    }
  }
}
