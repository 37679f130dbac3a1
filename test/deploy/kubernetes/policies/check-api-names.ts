import { type KubernetesObject, listContainers, listWorkloads } from '../render-kustomization.ts';

const dnsLabel = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const serviceName = /^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/;
const namePart = /^[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/;
const labelValue = /^([A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?)?$/;
const fileKey = /^[\w.-]{1,253}$/;
const variable = /^[A-Za-z_.-][\w.-]*$/;
const maxAnnotationBytes = 256 * 1024;
const maxDataBytes = 1024 * 1024;

/** A name of labels with dots between them. */
export const isSubdomain = (text: string) => text.length <= 253 && text.split('.').every((part) => dnsLabel.test(part));

function isQualified(key: string): boolean {
  const [name = '', prefix, ...rest] = key.split('/').toReversed();
  return rest.length === 0 && namePart.test(name) && (prefix === undefined || isSubdomain(prefix));
}

/** Names that become part of longer ones are bounded by these. */
function isName(kind: string, name: string): boolean {
  if (kind === 'Service') return serviceName.test(name);
  if (kind === 'Namespace') return dnsLabel.test(name);
  if (kind === 'CronJob') return name.length <= 52 && isSubdomain(name);
  if (kind === 'Job') return name.length <= 63 && isSubdomain(name);
  return isSubdomain(name);
}

function* checkLabels(owner: string, labels: Record<string, unknown> = {}): Generator<string> {
  for (const [key, value] of Object.entries(labels)) {
    if (!isQualified(key)) yield `${owner}: ${key} is no name of a label`;
    if (typeof value !== 'string' || !labelValue.test(value))
      yield `${owner}: ${value} is no value of the label ${key}`;
  }
}

interface Selector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

function* checkSelector(owner: string, { matchLabels, matchExpressions = [] }: Selector): Generator<string> {
  yield* checkLabels(owner, matchLabels);
  for (const { key, operator, values = [] } of matchExpressions) {
    yield* checkLabels(owner, Object.fromEntries(values.map((value) => [key, value])));
    const takesValues = operator === 'In' || operator === 'NotIn';
    if (!takesValues && operator !== 'Exists' && operator !== 'DoesNotExist') yield `${owner}: no operator ${operator}`;
    if (takesValues !== values.length > 0) yield `${owner}: ${operator} of ${key} with ${values.length} values`;
  }
}

/** Selectors wherever they are in an object. */
function* checkSelectors(owner: string, value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  if ('matchLabels' in value || 'matchExpressions' in value) yield* checkSelector(owner, value as Selector);
  for (const member of Object.values(value)) yield* checkSelectors(owner, member);
}

function* checkMetadata(owner: string, metadata: Partial<KubernetesObject['metadata']> = {}): Generator<string> {
  yield* checkLabels(owner, metadata.labels);
  const annotations = Object.entries(metadata.annotations ?? {});
  for (const [key, value] of annotations) {
    if (!isQualified(key.toLowerCase())) yield `${owner}: ${key} is no name of an annotation`;
    if (typeof value !== 'string') yield `${owner}: the annotation ${key} is no text`;
  }
  if (Buffer.byteLength(annotations.flat().join('')) > maxAnnotationBytes)
    yield `${owner}: its annotations are too large`;
}

function* checkData(owner: string, data: Record<string, unknown> = {}): Generator<string> {
  for (const [key, value] of Object.entries(data)) {
    if (!fileKey.test(key) || key.startsWith('..')) yield `${owner}: ${key} is no key of data`;
    if (typeof value !== 'string') yield `${owner}: the value of ${key} is no text`;
  }
  if (Buffer.byteLength(Object.entries(data).flat().join('')) > maxDataBytes) yield `${owner}: its data are too large`;
}

function* findTwice(owner: string, names: readonly (string | undefined)[]): Generator<string> {
  for (const [place, name] of names.entries())
    if (name !== undefined && names.indexOf(name) < place) yield `${owner}: ${name} is there twice`;
}

/** Names, labels, annotations, selectors and keys, as an API server takes them; and none twice. */
export function* checkApiNames(objects: KubernetesObject[]): Generator<string> {
  yield* findTwice(
    'objects',
    objects.map(({ apiVersion, kind, metadata }) => `${apiVersion.split('/')[0]} ${kind} ${metadata.name}`),
  );
  for (const object of objects) {
    const { kind, metadata, spec, data } = object;
    const owner = `${kind} ${metadata.name}`;
    if (!isName(kind, metadata.name)) yield `${owner}: is no name of a ${kind}`;
    yield* checkMetadata(owner, metadata);
    yield* checkSelectors(owner, spec);
    if (kind === 'ConfigMap') yield* checkData(owner, data);
  }
  for (const workload of listWorkloads(objects)) {
    const { name, template } = workload;
    yield* checkMetadata(`${name}'s pods`, template.metadata);
    const containers = listContainers(workload);
    yield* findTwice(
      name,
      containers.map((container) => container.name),
    );
    yield* findTwice(
      name,
      (template.spec.volumes ?? []).map((volume) => volume.name),
    );
    for (const each of [...containers, ...(template.spec.volumes ?? [])])
      if (!dnsLabel.test(each.name)) yield `${name}: ${each.name} is no name of a container or volume`;
    for (const container of containers) {
      for (const { name: text } of container.env ?? [])
        if (!variable.test(text)) yield `${name}/${container.name}: ${text} is no name of a variable`;
      yield* findTwice(
        `${name}/${container.name}`,
        (container.volumeMounts ?? []).map(({ mountPath }) => mountPath),
      );
    }
  }
}
