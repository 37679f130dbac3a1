import { type KubernetesObject, listWorkloads } from '../render-kustomization.ts';
import type { ApiAnswer, ApiServer } from './start-api-server.ts';

interface Resource {
  /** `/apis/apps/v1` */
  root: string;
  apiVersion: string;
  plural: string;
}

/** What a server made of some objects. */
export interface Findings {
  /** Objects that it took. */
  taken: number;
  /** What it refused or warned of. */
  refused: string[];
  /** Objects of kinds that it does not serve. */
  unknown: string[];
  /** Objects that it took as another version of their API. */
  older: string[];
  /** Fields that its version does not know, and dropped. */
  dropped: string[];
}

/** The server's resource for objects of a kind: of their version, else of another version of their group; null where there is none. */
async function findResource(server: ApiServer, { apiVersion, kind }: KubernetesObject): Promise<Resource | null> {
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  const groups = group === '' ? null : (await server.call('GET', `/apis/${group}`)).body;
  const served: string[] = groups?.versions?.map(({ groupVersion }: { groupVersion: string }) => groupVersion) ?? [];
  // An older server's v2beta2 has more of v2 than its v2beta1, and that more than v1.
  const isNear = (each: string) => Number(each.startsWith(apiVersion));
  const nearest = served.toSorted((a, b) => isNear(b) - isNear(a) || b.localeCompare(a));
  const candidates = group === '' ? [version] : [apiVersion, ...nearest.filter((each) => each !== apiVersion)];
  for (const candidate of candidates) {
    const root = group === '' ? `/api/${candidate}` : `/apis/${candidate}`;
    const { status, body } = await server.call('GET', root);
    const found =
      status === 200 &&
      body.resources.find((each: { kind: string; name: string }) => each.kind === kind && !each.name.includes('/'));
    if (found) return { root, apiVersion: candidate, plural: found.name };
  }
  return null;
}

/** Paths of members that were sent and did not come back. */
function* findDropped(sent: unknown, stored: unknown, path: string): Generator<string> {
  if (typeof sent !== 'object' || sent === null) return;
  if (typeof stored !== 'object' || stored === null) {
    yield path;
    return;
  }
  for (const [key, value] of Object.entries(sent)) {
    // What is empty is left out, and a policy's unknown fields too.
    if (value === null || (typeof value === 'object' && Object.keys(value).length === 0)) continue;
    const kept = (stored as Record<string, unknown>)[key];
    if (kept === undefined && value !== false && value !== '' && value !== 0)
      yield `${path}.${key}`.replace(/\.\d+(?=\.|$)/g, '[]');
    else yield* findDropped(value, kept, `${path}.${key}`);
  }
}

/** A pause before a pod stops, which servers before Kubernetes 1.30 do not know and then refuse. */
const toKnown = (text: string) => text.replaceAll(/"sleep":\{"seconds":\d+\}/g, '"exec":{"command":["sleep"]}');

/** Whether the server knows `preStop.sleep`. */
export async function knowsSleep(server: ApiServer): Promise<boolean> {
  const container = { name: 'a', image: 'a', lifecycle: { preStop: { sleep: { seconds: 1 } } } };
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } };
  const spec = { selector: { matchLabels: { a: 'b' } }, template };
  const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' }, spec };
  const { body } = await server.call('POST', '/apis/apps/v1/namespaces/default/deployments?dryRun=All', deployment);
  return !JSON.stringify(body).includes('must specify a handler type');
}

/** Objects as a server without `preStop.sleep` takes them. */
export const withoutSleep = (objects: readonly KubernetesObject[]): KubernetesObject[] =>
  JSON.parse(toKnown(JSON.stringify(objects)));

const explain = ({ status, body }: ApiAnswer) => `${status} ${body?.message ?? body}`;

/** Creates objects in a namespace of their own, and asks whether their pods would be taken as well. */
export async function checkObjects(
  server: ApiServer,
  objects: readonly KubernetesObject[],
  namespace: string,
): Promise<Findings> {
  const findings: Findings = { taken: 0, refused: [], unknown: [], older: [], dropped: [] };
  // Pods ask for their ServiceAccount.
  const ordered = objects.toSorted((a, b) => Number(b.kind === 'ServiceAccount') - Number(a.kind === 'ServiceAccount'));
  for (const object of ordered) {
    const label = `${object.kind} ${object.metadata.name}`;
    const resource = await findResource(server, object);
    if (resource === null) {
      findings.unknown.push(`${object.apiVersion} ${label}`);
      continue;
    }
    if (resource.apiVersion !== object.apiVersion)
      findings.older.push(`${object.apiVersion} ${label} as ${resource.apiVersion}`);
    const sent = { ...object, apiVersion: resource.apiVersion, metadata: { ...object.metadata, namespace } };
    const path = `${resource.root}/namespaces/${namespace}/${resource.plural}`;
    const answer = await server.call('POST', `${path}?fieldValidation=Warn`, sent);
    const expected = (warning: string) =>
      warning.startsWith('unknown field') ||
      (resource.apiVersion !== object.apiVersion && warning.includes('is deprecated'));
    findings.refused.push(
      ...answer.warnings.filter((warning) => !expected(warning)).map((each) => `${label}: ${each}`),
    );
    if (answer.status !== 201) findings.refused.push(`${label}: ${explain(answer)}`);
    else {
      findings.taken += 1;
      findings.dropped.push(...findDropped(object.spec, answer.body.spec, `${object.kind}.spec`));
    }
  }
  for (const { name, template, object } of listWorkloads([...objects])) {
    const claimed: { metadata: { name: string } }[] = object.spec.volumeClaimTemplates ?? [];
    const volumes = [
      ...(template.spec.volumes ?? []),
      ...claimed.map(({ metadata }) => ({ name: metadata.name, emptyDir: {} })),
    ];
    const metadata = { ...template.metadata, name: `${name}-pod`, namespace };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { ...template.spec, volumes } };
    const answer = await server.call('POST', `/api/v1/namespaces/${namespace}/pods?dryRun=All`, pod);
    if (answer.status !== 201) findings.refused.push(`a pod of ${name}: ${explain(answer)}`);
  }
  return findings;
}

/** Updates what {@link checkObjects} made to other objects of the same names, as an upgrade does, and makes those that are new. */
export async function updateObjects(
  server: ApiServer,
  objects: readonly KubernetesObject[],
  namespace: string,
): Promise<string[]> {
  const refused: string[] = [];
  for (const object of objects) {
    const resource = await findResource(server, object);
    if (resource === null) continue;
    const path = `${resource.root}/namespaces/${namespace}/${resource.plural}`;
    const { name } = object.metadata;
    const known = await server.call('GET', `${path}/${name}`);
    const sent = { ...object, apiVersion: resource.apiVersion, metadata: { ...object.metadata, namespace } };
    // As kubectl apply does, which sends what has changed: what the server gave (an address, a version) stays.
    const merged = mergeInto(known.body, sent) as object;
    const answer =
      known.status === 200
        ? await server.call('PUT', `${path}/${name}`, merged)
        : await server.call('POST', path, sent);
    if (answer.status > 201) refused.push(`${object.kind} ${name}: ${explain(answer)}`);
  }
  return refused;
}

function mergeInto(known: unknown, sent: unknown): unknown {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return sent;
  const result: Record<string, unknown> = { ...(known as Record<string, unknown> | undefined) };
  for (const [key, value] of Object.entries(sent)) result[key] = mergeInto(result[key], value);
  return result;
}
