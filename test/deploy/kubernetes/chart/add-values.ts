import { type Entry, entry, type Node, type Template } from './merge-variants.ts';
import { prefixMark } from './variants.ts';

const services = ['proxy', 'writer', 'management'];
const raw = (...lines: string[]): Node => ({ type: 'raw', lines });

/** The entries of a map or list below a node, by keys; a list's by their places or names. */
function entriesOf(node: Node | undefined, ...path: string[]): Entry[] {
  if (node === undefined || (node.type !== 'map' && node.type !== 'list')) return [];
  const [key, ...rest] = path;
  if (key === undefined) return node.entries;
  return entriesOf(node.entries.find((each) => each.key === key)?.node, ...rest);
}

/** As entriesOf, but of what must be there. */
function need(template: Template, ...path: string[]): Entry[] {
  const entries = entriesOf(template.node, ...path);
  if (entries.length === 0) throw new Error(`${template.id} has no ${path.join('.')}`);
  return entries;
}

function setScalar(template: Template, pipeline: string, ...path: string[]): void {
  const key = path.pop() ?? '';
  const found = need(template, ...path).find((each) => each.key === key);
  if (found === undefined) throw new Error(`${template.id} has no ${key}`);
  found.node = raw(`${key}: {{ ${pipeline} }}`);
}

/** What the values add to a pod: a list or map that nobody has without them. */
function addToPod(template: Template, ...path: string[]): void {
  const pod = need(template, ...path, 'spec');
  for (const [key, depth] of [
    ['nodeSelector', 2],
    ['tolerations', 2],
  ] as const)
    pod.push(entry(key, raw(`${key}:`, `  {{- toYaml .Values.${key} | nindent INDENT_${depth} }}`), `.Values.${key}`));
  const metadata = need(template, ...path, 'metadata');
  const annotations = metadata.find(({ key, when }) => key === 'annotations' && when.length === 0);
  const lines = ['{{- toYaml .Values.podAnnotations | nindent INDENT_0 }}'];
  if (annotations?.node.type === 'map')
    annotations.node.entries.push(entry('podAnnotations', raw(...lines), '.Values.podAnnotations'));
}

/** Labels in selectors are there in a second installation alone: a Deployment's can never change. */
function markSelectors(node: Node, parent = ''): void {
  if (node.type !== 'map' && node.type !== 'list') return;
  for (const each of node.entries) {
    if (each.key === 'app.kubernetes.io/instance' && parent !== 'labels') each.when.push('$prefix');
    markSelectors(each.node, each.key);
  }
}

function addToDeployment(template: Template, name: string): void {
  const values = `.Values.${name}`;
  const scaled = [`not ${values}.autoscaling.enabled`, ...(name === 'writer' ? ['not .Values.keda.enabled'] : [])];
  need(template, 'spec').push(entry('replicas', raw(`replicas: {{ ${values}.replicaCount | int64 }}`), ...scaled));
  const container = need(template, 'spec', 'template', 'spec', 'containers', '0');
  const resources = container.find(({ key }) => key === 'resources');
  if (resources === undefined) throw new Error(`${name} has no resources`);
  resources.when.push(`not ${values}.resources`);
  container.push(
    entry('own', raw('resources:', `  {{- toYaml ${values}.resources | nindent INDENT_2 }}`), `${values}.resources`),
  );
}

function addToPolicy(template: Template, name: string): void {
  const values = `.Values.${name}`;
  const rule = ['spec', 'egress', '0'];
  for (const peer of need(template, ...rule, 'to')) peer.when.push(`${values}.network`);
  for (const [key, value] of [
    ['to', 'extraPeers'],
    ['ports', 'extraPorts'],
  ] as const)
    need(template, ...rule, key).push(
      entry(value, raw(`{{- toYaml ${values}.${value} | nindent INDENT_0 }}`), `${values}.${value}`),
    );
}

/** Puts values into the templates that no setting of the overlays is behind: numbers of pods, labels, names that are conventions. */
export function addValues(templates: Template[]): void {
  for (const template of templates) {
    const { kind, node } = template;
    const name = template.name.replace(prefixMark, '').replace(/^zzmap:|zz$/g, '');
    markSelectors(node);
    if (kind === 'Deployment') {
      addToDeployment(template, name);
      addToPod(template, 'spec', 'template');
    }
    if (kind === 'Job') addToPod(template, 'spec', 'template');
    if (kind === 'CronJob') addToPod(template, 'spec', 'jobTemplate', 'spec', 'template');
    if (kind === 'ServiceAccount' && node.type === 'map')
      node.entries.push(
        entry(
          'imagePullSecrets',
          raw('imagePullSecrets:', '  {{- toYaml .Values.imagePullSecrets | nindent 2 }}'),
          '.Values.imagePullSecrets',
        ),
      );
    if (kind === 'HorizontalPodAutoscaler' && services.includes(name)) {
      template.when.push(`.Values.${name}.autoscaling.enabled`);
      setScalar(template, `.Values.${name}.replicaCount | int64`, 'spec', 'minReplicas');
      setScalar(template, `.Values.${name}.autoscaling.maxReplicas | int64`, 'spec', 'maxReplicas');
    }
    if (kind === 'ScaledObject') {
      setScalar(template, '.Values.writer.replicaCount | int64', 'spec', 'minReplicaCount');
      setScalar(template, '.Values.writer.autoscaling.maxReplicas | int64', 'spec', 'maxReplicaCount');
    }
    if (kind === 'HTTPRoute') {
      const values = name === 'proxy' ? '.Values.gateway' : '.Values.management.gateway';
      setScalar(template, `${values}.name`, 'spec', 'parentRefs', '0', 'name');
      setScalar(template, '.Values.gateway.namespace', 'spec', 'parentRefs', '0', 'namespace');
      setScalar(template, '.Values.gateway.listener', 'spec', 'parentRefs', '0', 'sectionName');
    }
    if (kind === 'Ingress')
      for (const each of need(template, 'metadata', 'annotations'))
        if (each.key === 'cert-manager.io/cluster-issuer') each.when.push('.Values.ingress.clusterIssuer');
    if (template.id.startsWith('NetworkPolicy'))
      for (const server of ['postgres', 'nats', 'redis']) if (name === `to-${server}`) addToPolicy(template, server);
    if (kind === 'ConfigMap') {
      const data = entriesOf(node, 'data');
      for (const each of data) {
        if (each.key === 'CONSOLE_PROXY_ADDRESS') each.when.push('.Values.ingress.host');
        if (each.key === 'OTEL_EXPORTER_OTLP_ENDPOINT')
          each.node = raw(`${each.key}: {{ .Values.tracing.endpoint | quote }}`);
      }
    }
    if (/^Pod(Monitor)|PrometheusRule$/.test(kind)) {
      const labels = entriesOf(node, 'metadata', 'labels');
      labels.push(
        entry('own', raw('{{- toYaml .Values.podMonitor.labels | nindent INDENT_0 }}'), '.Values.podMonitor.labels'),
      );
    }
    nameAuthority(node);
  }
}

/** The ConfigMap of a private authority is no object of ours, so kustomize gives it no name. */
function nameAuthority(node: Node): void {
  if (node.type === 'choice') return;
  if (node.type === 'scalar' || node.type === 'raw') return;
  for (const each of node.entries) {
    if (each.node.type === 'scalar' && each.node.value === 'agp-ca')
      each.node = raw(`${each.key}: {{ .Values.privateCa.configMap }}`);
    else nameAuthority(each.node);
  }
}
